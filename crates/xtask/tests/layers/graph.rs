//! Cycles in a graph of imports.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;

/// Who imports whom, and the names.
pub(crate) type Graph<N> = BTreeMap<(N, N), BTreeSet<String>>;

/// The graph with its nodes put together by `key`; what stays within one node is dropped.
pub(crate) fn grouped<M: Ord + Clone, N: Ord>(graph: &Graph<M>, key: impl Fn(&M) -> N) -> Graph<N> {
    let mut groups = Graph::new();
    for ((from, to), names) in graph {
        let (from, to) = (key(from), key(to));
        if from != to {
            groups.entry((from, to)).or_insert_with(BTreeSet::new).extend(names.iter().cloned());
        }
    }
    groups
}

/// Each cycle of the graph, as the lines that name its imports. Nodes that all reach each other are one cycle.
pub(crate) fn cycles<N: Ord + Clone + Display>(graph: &Graph<N>) -> Vec<Vec<String>> {
    let nodes: BTreeSet<&N> = graph.keys().map(|it| &it.0).collect();
    let reach: BTreeMap<&N, BTreeSet<&N>> = nodes.iter().map(|it| (*it, reachable(graph, it))).collect();
    let reaches = |from: &N, to: &N| reach.get(from).is_some_and(|it| it.contains(to));
    let mut cycles = BTreeMap::<&N, Vec<String>>::new();
    for ((from, to), names) in graph {
        if reaches(to, from) {
            // The first node of a cycle stands for all of it.
            let first = nodes.iter().find(|it| reaches(from, it) && reaches(it, from)).copied().unwrap_or(from);
            cycles.entry(first).or_default().push(line(from, to, names));
        }
    }
    cycles.into_values().collect()
}

/// One import, such as `a.rs imports b.rs: Thing, other`.
pub(crate) fn line(from: &impl Display, to: &impl Display, names: &BTreeSet<String>) -> String {
    let names: Vec<_> = names.iter().map(String::as_str).collect();
    format!("{from} imports {to}: {}", names.join(", "))
}

fn reachable<'a, N: Ord>(graph: &'a Graph<N>, from: &'a N) -> BTreeSet<&'a N> {
    let mut found = BTreeSet::new();
    let mut open = vec![from];
    while let Some(node) = open.pop() {
        for (_, to) in graph.keys().filter(|it| it.0 == *node) {
            if found.insert(to) {
                open.push(to);
            }
        }
    }
    found
}
