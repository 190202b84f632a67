// The files that each package may contain. A file that no pattern here matches stops a release.

/** In every package. */
export const SHARED = [/^package\.json$/, /^README\.md$/, /^LICENSE-(APACHE|MIT)$/];
/** In every package, without which it is not released. */
export const REQUIRED = [/^package\.json$/, /^LICENSE-APACHE$/, /^LICENSE-MIT$/];

/** What must never be released, and what it is. These come first, so that a message names the reason. */
export const FORBIDDEN = [
  { pattern: /\.map$/, what: "a source map" },
  { pattern: /(^|\/)\.dev\.vars/, what: "settings with secrets" },
  { pattern: /(^|\/)\.env/, what: "settings with secrets" },
  { pattern: /(^|\/)\.npmrc$/, what: "settings of npm" },
  { pattern: /\.(pem|key|p12|pfx)$/, what: "a key" },
  { pattern: /(^|\/)(tests?|__tests__|fixtures)\//, what: "a test" },
  { pattern: /\.(test|spec)\.\w+$/, what: "a test" },
  { pattern: /(^|\/)node_modules\//, what: "an installed package" },
  { pattern: /\.(tgz|log)$/, what: "an output of a tool" },
  { pattern: /(^|\/)\./, what: "a hidden file" },
];

/** @type {readonly { name: RegExp, required: RegExp[], expected: RegExp[] }[]} */
export const EXPECTED = [
  {
    name: /^mediagate$/,
    required: [/^README\.md$/, /^index\.js$/, /^index\.d\.ts$/, /^dist\/mediagate_bg\.wasm$/, /^dist\/inline\.js$/],
    expected: [/^[\w-]+(\.d\.ts|\.js)$/, /^dist\/\w+(\.d\.ts|\.js|\.json|\.wasm)$/],
  },
  {
    name: /^mediagate-gateway$/,
    required: [
      /^README\.md$/,
      /^bin\/mediagate-gateway\.js$/,
      /^dist\/worker\/index\.js$/,
      /^dist\/worker\/index_bg\.wasm$/,
      /^dist\/worker\/front\.js$/,
      /^dist\/www\/index\.html$/,
      /^dist\/files\.json$/,
      /^dist\/settings\.json$/,
    ],
    expected: [
      /^bin\/[\w-]+\.js$/,
      /^src\/([\w-]+\/)*[\w-]+(\.d\.ts|\.js)$/,
      /^templates\/([\w-]+\/)*[\w-]+\.(js|ts|json|jsonc|toml|md)$/,
      /^dist\/\w+\.json$/,
      /^dist\/worker\/\w+\.(js|wasm)$/,
      /^dist\/operator\/([\w-]+\/)*\w+(\.d\.ts|\.js|\.wasm|\.wasm\.d\.ts)$/,
      /^dist\/www\/(assets\/)?[\w.-]+\.(css|html|js|json|mjs|svg|wasm|woff2)$/,
    ],
  },
  { name: /^mediagate-emulator-(linux|darwin)-\w+$/, ...program(/^bin\/mediagate-emulator$/) },
  { name: /^mediagate-emulator-win32-\w+$/, ...program(/^bin\/mediagate-emulator\.exe$/) },
];

/** @param {RegExp} path */
function program(path) {
  return { required: [path], expected: [path] };
}
