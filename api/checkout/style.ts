import { BACKGROUNDS, type Color, deriveAccentColors } from '../../shared/domain/accent.ts'

/**
 * Returns the style for a page with a brand colour. It follows `STYLE`, and the policy contains the hash of these exact
 * bytes.
 */
export function accentStyle(color: Color): string {
  const { light, dark } = deriveAccentColors(color)
  const rule = ({ accent, onAccent }: typeof light) => `:root{--accent:${accent};--on-accent:${onAccent}}`
  return `${rule(light)}@media (prefers-color-scheme:dark){${rule(dark)}}`
}

/** The style of all pages. Every colour has a contrast of at least 4.5:1 against its background (WCAG 2.2, 1.4.3). */
export const STYLE = `
:root { color-scheme: light dark; --ground: ${BACKGROUNDS.light[0]}; --card: ${BACKGROUNDS.light[1]}; --line: #79828f; --ink: #1b2430; --quiet: #525c6c;
  --accent: #0b57c4; --on-accent: #ffffff; --test: #fff1c9; --on-test: #553a00; --good: #17703a; }
@media (prefers-color-scheme: dark) { :root { --ground: ${BACKGROUNDS.dark[0]}; --card: ${BACKGROUNDS.dark[1]}; --line: #7d8795; --ink: #e8ecf2;
  --quiet: #aab4c2; --accent: #8bbcff; --on-accent: #0b1a30; --test: #3d2f08; --on-test: #ffe3a1; --good: #6fd694; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 1rem/1.55 system-ui, sans-serif; }
header:empty { display: none; } body:has(header:empty) main { margin-top: 1rem; }
header, main, footer { max-width: 34rem; margin: 0 auto; padding: 1rem; }
main { background: var(--card); border: 1px solid var(--line); border-radius: .75rem; padding: 1.25rem; }
@media (max-width: 36rem) { main { border-radius: 0; border-width: 4px 0 1px; } }
.test { background: var(--test); color: var(--on-test); border: 1px solid currentColor; border-radius: .5rem; padding: .75rem 1rem; margin: 0; }
main { border-top: 4px solid var(--accent); } main.good { border-top-color: var(--good); } main.good h1::before { content: '\\2713\\00a0' / ''; color: var(--good); }
h1 { font-size: 1.6rem; line-height: 1.25; margin: 0 0 .75rem; } h2 { font-size: 1.1rem; margin: 1.75rem 0 .5rem; } h3 { font-size: 1rem; margin: 1rem 0 .5rem; }
p { margin: .5rem 0; } a { color: var(--accent); text-underline-offset: .2em; overflow-wrap: anywhere; }
a:focus-visible { outline: 3px solid var(--accent); outline-offset: 3px; border-radius: 2px; }
.choices { list-style: none; padding: 0; margin: 0; display: grid; gap: .5rem; }
.choices a { display: block; padding: .65rem .9rem; border: 1px solid var(--line); border-radius: .5rem; text-decoration: none; color: var(--ink); }
.choices a:hover { border-color: var(--accent); }
.button { display: inline-block; background: var(--accent); color: var(--on-accent); border-radius: .5rem; padding: .65rem 1.1rem; text-decoration: none; font-weight: 600; }
button { font: inherit; font-weight: 600; background: var(--accent); color: var(--on-accent); border: 0; border-radius: .5rem; padding: .65rem 1.1rem; cursor: pointer; }
input, select { font: inherit; width: 100%; padding: .5rem .6rem; color: var(--ink); background: var(--ground); border: 1px solid var(--line); border-radius: .4rem; }
summary { cursor: pointer; padding: .4rem 0; color: var(--accent); } :is(button, input, select, summary):focus-visible { outline: 3px solid var(--accent); outline-offset: 3px; }
dl { margin: .5rem 0; } dt { color: var(--quiet); font-size: .9rem; margin-top: .7rem; } dd { margin: 0; overflow-wrap: anywhere; }
.large { font-size: 1.5rem; font-weight: 650; } code { font: .95em/1.5 ui-monospace, Menlo, Consolas, monospace; overflow-wrap: anywhere; user-select: all; direction: ltr; unicode-bidi: isolate; }
.qr { margin: 1rem auto; width: 100%; max-width: 16rem; } .qr svg { display: block; width: 100%; height: auto; border-radius: .5rem; }
.brand { display: flex; align-items: center; gap: .75rem; margin: 0; font-size: 1.15rem; font-weight: 650; overflow-wrap: anywhere; } .brand + .test { margin-top: .75rem; }
.brand img { height: 2.75rem; max-width: 9rem; object-fit: contain; padding: .25rem; border-radius: .4rem; background: #fff; }
.products { margin: 0 0 1rem; padding: 0 0 .75rem; border-bottom: 1px solid var(--line); } .products h2 { margin-top: 0; } .products ul { margin: 0; padding-inline-start: 1.2rem; overflow-wrap: anywhere; }
.products .pictured { list-style: none; padding: 0; display: grid; gap: .5rem; } .pictured li { display: flex; align-items: center; gap: .75rem; } .pictured img, .pictured .none { flex: none; width: 3rem; height: 3rem; object-fit: cover; border-radius: .4rem; background: var(--ground); }
.warning { border-inline-start: 4px solid var(--accent); padding: .25rem 0; padding-inline-start: .9rem; margin: 1rem 0; } .quiet, footer { color: var(--quiet); font-size: .9rem; }
.languages { list-style: none; display: flex; flex-wrap: wrap; gap: 0 1rem; padding: 0; margin: .75rem 0 0; } .languages a { display: inline-block; padding: .25rem 0; } .languages a[aria-current] { color: inherit; text-decoration: none; font-weight: 600; }
.scripted .unscripted { display: none; }
[hidden] { display: none !important; } .copied { font-size: .85rem; padding: .2rem .6rem; margin-inline-start: .5rem; background: none; color: var(--accent); border: 1px solid var(--line); min-height: 1.75rem; }
.wallets { display: grid; gap: .5rem; margin: .75rem 0; } .wallets button { display: flex; align-items: center; gap: .6rem; text-align: start; } .wallets img { width: 1.5rem; height: 1.5rem; border-radius: .3rem; background: #fff; }
.lost { position: fixed; inset: auto 0 0; z-index: 1; background: var(--test); color: var(--on-test); border: 1px solid currentColor; border-radius: .5rem; padding: .6rem 1rem; margin: .5rem auto; max-width: 34rem; }
html:has(.lost) { scroll-padding-bottom: 7rem; } body:has(.lost) { padding-bottom: 7rem; } #wallet > [role=status]:not(:empty) { background: var(--ground); border: 1px solid var(--line); border-radius: .5rem; padding: .75rem 1rem; }
:is(#wallet > [role=status], #sent p) { overflow-wrap: anywhere; } #wallet > [role=status] button { display: block; margin-top: .75rem; } .secondary { background: none; color: var(--accent); border: 1px solid var(--line); }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
progress { width: 100%; height: 1rem; accent-color: var(--accent); } .links a { display: inline-block; padding-block: .25rem; padding-inline-end: .75rem; } footer code { display: inline-block; } #return { margin-top: 1.25rem; } #return button { display: block; margin-top: .75rem; }
`
