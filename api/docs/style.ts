import { createHash } from 'node:crypto'

/** Stylesheet of the page. Colors have a contrast of at least 4.5 to 1 on every background (WCAG 2.2, 1.4.3). */
export const STYLE = `
:root { color-scheme: light dark; --ground: #ffffff; --raised: #f5f6f8; --line: #d9dde3; --ink: #1b2430;
  --quiet: #566072; --accent: #0b5bd3; --get: #0a6640; --post: #0b4fb3; --patch: #8a4600; --delete: #a8201a; }
@media (prefers-color-scheme: dark) { :root { --ground: #12161c; --raised: #1b212a; --line: #323b47; --ink: #e6eaf0;
  --quiet: #a3adbb; --accent: #7db4ff; --get: #5fd39a; --post: #7db4ff; --patch: #f0b060; --delete: #ff8f88; } }
* { box-sizing: border-box; }
html { scroll-behavior: smooth; scroll-padding-top: 1rem; }
@media (prefers-reduced-motion: reduce) { html { scroll-behavior: auto; } }
body { margin: 0; background: var(--ground); color: var(--ink); font: 16px/1.6 system-ui, sans-serif; }
a { color: var(--accent); text-underline-offset: 2px; }
a:focus-visible, summary:focus-visible, pre:focus-visible, .wide:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.skip { position: absolute; left: -99rem; } .skip:focus { left: 1rem; top: 1rem; background: var(--ground); padding: .5rem 1rem; }
.page { display: grid; grid-template-columns: 17rem minmax(0, 1fr); max-width: 84rem; margin: 0 auto; }
nav { position: sticky; top: 0; height: 100vh; overflow-y: auto; padding: 1.5rem 1rem 3rem 1.5rem; border-right: 1px solid var(--line); font-size: .875rem; }
nav h2 { font-size: .75rem; letter-spacing: .06em; text-transform: uppercase; color: var(--quiet); margin: 1.4rem 0 .3rem; border: 0; padding: 0; }
nav ul { list-style: none; margin: 0; padding: 0; } nav li a { display: block; padding: .14rem 0; color: var(--ink); text-decoration: none; overflow-wrap: anywhere; }
nav li a:hover { color: var(--accent); text-decoration: underline; }
main { padding: 2rem 3rem 6rem; min-width: 0; }
h1 { font-size: 2.1rem; line-height: 1.2; margin: 0 0 .3rem; letter-spacing: -.02em; }
h2 { font-size: 1.5rem; margin: 3.5rem 0 .6rem; padding-top: 1.2rem; border-top: 1px solid var(--line); letter-spacing: -.01em; }
h3 { font-size: 1.12rem; margin: 2.6rem 0 .3rem; } h4 { font-size: .8rem; margin: 1.2rem 0 .3rem; color: var(--quiet); text-transform: uppercase; letter-spacing: .05em; }
p { margin: .5rem 0; max-width: 46rem; } .lead { font-size: 1.1rem; color: var(--quiet); } .quiet { color: var(--quiet); }
code, pre { font: .84rem/1.55 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
code { background: var(--raised); border: 1px solid var(--line); border-radius: 4px; padding: .08em .3em; overflow-wrap: anywhere; }
pre { background: var(--raised); border: 1px solid var(--line); border-radius: 8px; padding: .9rem 1.1rem; overflow-x: auto; margin: .6rem 0; }
pre code { background: none; border: 0; padding: 0; overflow-wrap: normal; }
.wide { overflow-x: auto; } table { border-collapse: collapse; width: 100%; font-size: .9rem; margin: .4rem 0 .8rem; }
th { text-align: left; font-weight: 600; color: var(--quiet); font-size: .8rem; } th, td { padding: .45rem .8rem .45rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
td:first-child { white-space: nowrap; } td p { margin: 0; } td .bounds { display: block; color: var(--quiet); font-size: .82rem; overflow-wrap: anywhere; }
.call { display: flex; flex-wrap: wrap; gap: .6rem; align-items: baseline; font: 600 .92rem ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; margin: .3rem 0; overflow-wrap: anywhere; }
.method { border: 1px solid currentColor; border-radius: 5px; padding: 0 .45rem; font-size: .76rem; }
.get { color: var(--get); } .post { color: var(--post); } .patch { color: var(--patch); } .delete { color: var(--delete); }
.required { color: var(--delete); font-size: .76rem; white-space: nowrap; }
details { margin: .5rem 0; } summary { cursor: pointer; color: var(--accent); font-size: .92rem; }
@media (max-width: 56rem) { .page { display: block; } nav { position: static; height: auto; border: 0; border-bottom: 1px solid var(--line); } main { padding: 1.5rem; } }
`

/** Content-Security-Policy of a page that has this stylesheet and may load and run nothing else. */
export const STYLE_POLICY = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`
