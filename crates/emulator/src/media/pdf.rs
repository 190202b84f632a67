use std::{collections::BTreeMap, path::Path};

use lopdf::{Document, Object, ObjectId, dictionary};

use super::error::MediaError;
use super::pages;

pub(crate) fn merge(files: &[&Path]) -> Result<Vec<u8>, MediaError> {
    let mut merged = Document::with_version("1.7");
    let root = merged.new_object_id();
    let mut pages = Vec::new();
    for file in files {
        let mut document = open(file)?;
        // Objects of two files may have equal ids.
        document.renumber_objects_with(merged.max_id + 1);
        for page in page_ids(&document)? {
            adopt(&mut document, page, root)?;
            pages.push(page);
        }
        merged.max_id = document.max_id;
        merged.objects.append(&mut document.objects);
    }
    finish(merged, root, pages)
}

/// Extracts the pages of a range in its order, see [`pages::parse`].
pub(crate) fn split(file: &Path, range: &str) -> Result<Vec<u8>, MediaError> {
    let mut document = open(file)?;
    let all = page_ids(&document)?;
    let root = document.new_object_id();
    let mut extracted = Vec::new();
    for number in pages::parse(range, all.len())? {
        extracted.push(copied(&mut document, all[number - 1], root)?);
    }
    finish(document, root, extracted)
}

fn open(file: &Path) -> Result<Document, MediaError> {
    let document = Document::load(file).map_err(|error| match error {
        lopdf::Error::Decryption(_)
        | lopdf::Error::InvalidPassword
        | lopdf::Error::UnsupportedSecurityHandler(_) => MediaError::LockedDocument,
        _ => MediaError::UnreadableDocument,
    })?;
    if document.is_encrypted() || document.trailer.has(b"Encrypt") {
        Err(MediaError::LockedDocument)
    } else {
        Ok(document)
    }
}

fn page_ids(document: &Document) -> Result<Vec<ObjectId>, MediaError> {
    let pages: Vec<_> = document.get_pages().into_values().collect();
    if pages.is_empty() {
        Err(MediaError::of_input("the PDF document has no pages"))
    } else {
        Ok(pages)
    }
}

/// The entries that a page inherits from the nodes above it (ISO 32000-1, table 30).
const INHERITED: [&[u8]; 4] = [b"Resources", b"MediaBox", b"CropBox", b"Rotate"];

/// Moves a page below a new parent. Entries that the page inherits are written into the page first,
/// as the new parent has none.
fn adopt(document: &mut Document, page: ObjectId, parent: ObjectId) -> Result<(), MediaError> {
    let inherited: BTreeMap<_, _> = INHERITED
        .iter()
        .filter_map(|key| Some((*key, inherited(document, page, key)?)))
        .collect();
    let page = document
        .get_object_mut(page)
        .and_then(Object::as_dict_mut)
        .map_err(unreadable)?;
    for (key, value) in inherited {
        page.set(key, value);
    }
    page.set("Parent", parent);
    Ok(())
}

/// Copies a page to a new object. A page can then occur twice: each object has only one parent.
fn copied(
    document: &mut Document,
    page: ObjectId,
    parent: ObjectId,
) -> Result<ObjectId, MediaError> {
    let copy = document.get_object(page).map_err(unreadable)?.clone();
    let copy = document.add_object(copy);
    adopt(document, copy, parent)?;
    Ok(copy)
}

fn inherited(document: &Document, page: ObjectId, key: &[u8]) -> Option<Object> {
    const MAX_DEPTH: usize = 64; // ends the walk in a tree with a cycle
    let mut node = document.get_dictionary(page).ok()?;
    for _ in 0..MAX_DEPTH {
        if let Ok(value) = node.get(key) {
            return Some(value.clone());
        }
        let parent = node.get(b"Parent").and_then(Object::as_reference).ok()?;
        node = document.get_dictionary(parent).ok()?;
    }
    None
}

fn finish(
    mut document: Document,
    root: ObjectId,
    pages: Vec<ObjectId>,
) -> Result<Vec<u8>, MediaError> {
    let count = pages.len() as i64;
    let kids: Vec<Object> = pages.into_iter().map(Object::Reference).collect();
    document.objects.insert(
        root,
        dictionary! { "Type" => "Pages", "Kids" => kids, "Count" => count }.into(),
    );
    let catalog = document.add_object(dictionary! { "Type" => "Catalog", "Pages" => root });
    document.trailer = dictionary! { "Root" => catalog };
    // Removes the outlines and names of the old catalogues, and pages that are not in the result.
    document.prune_objects();
    document.renumber_objects();
    document.compress();
    let mut bytes = Vec::new();
    document.save_to(&mut bytes).map_err(|error| {
        MediaError::new(format!("the PDF document could not be written: {error}"))
    })?;
    Ok(bytes)
}

fn unreadable(_: lopdf::Error) -> MediaError {
    MediaError::of_input("the PDF document has a damaged page")
}
