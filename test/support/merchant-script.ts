import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { build, transform } from 'esbuild'

const ROOM = resolve(import.meta.dirname, '../../api/checkout/embed')

/** Directory of the published versions of `checkout.js`, each named `<version>.js`. */
export const VERSIONS_DIRECTORY = join(ROOM, 'versions')

/** The document that shows merchants the newest version and the hashes of all versions. */
export const CHECKOUT_DOCUMENT = resolve(import.meta.dirname, '../../docs/checkout.md')

const START = '<!-- `npm run checkout-script` writes the lines from here -->\n'
const END = '<!-- to here. -->\n'

/** Builds `checkout.js`, the script of merchants' pages, from its sources. */
export async function bundleMerchantScript(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(ROOM, 'main.ts')],
    ...{ write: false, bundle: true, minify: true, format: 'iife', charset: 'utf8' },
    target: ['chrome111', 'firefox111', 'safari16.4'],
  })
  return outputFiles[0]?.text ?? ''
}

/** Lists the published versions, the oldest first. */
export function listVersions(): readonly { readonly version: number; readonly text: string }[] {
  return readdirSync(VERSIONS_DIRECTORY)
    .map((file) => ({
      version: Number(file.replace('.js', '')),
      text: readFileSync(join(VERSIONS_DIRECTORY, file), 'utf8'),
    }))
    .sort((one, other) => one.version - other.version)
}

/** Returns the document with its script element and its table of hashes updated to the published versions. */
export function writeVersions(document: string): string {
  const [before = '', rest = ''] = document.split(START)
  const [, after = ''] = rest.split(END)
  const versions = listVersions().map(({ version, text }) => ({ version, integrity: hash(text) }))
  const newest = versions.at(-1)
  const lines = [
    '```html',
    `<script src="https://pay.example.com/pay/v${newest?.version}/checkout.js" defer crossorigin="anonymous"`,
    `  integrity="${newest?.integrity}"></script>`,
    '```',
    '',
    '| Version | `integrity` |',
    '|---|---|',
    ...versions.map(({ version, integrity }) => `| \`v${version}\` | \`${integrity}\` |`),
  ]
  return `${before}${START}${lines.join('\n')}\n${END}${after}`
}

/** Reads the script element that merchants copy from the document. */
export function readScriptElement(): string {
  const [element] =
    /<script src="https:\/\/pay\.example\.com[^>]*><\/script>/.exec(
      readFileSync(CHECKOUT_DOCUMENT, 'utf8'),
    ) ?? []
  if (element === undefined) throw new Error('docs/checkout.md has no script element')
  return element
}

/**
 * Returns a script that replaces the content of a merchant's page with the document's React component. The script stubs
 * the parts of React that the component uses, and counts the calls of `onPaid` in `paidCalls`.
 */
export async function buildReactExample(checkoutUrl: string): Promise<string> {
  const [, example = ''] = /```jsx\n([\s\S]*?)```/.exec(readFileSync(CHECKOUT_DOCUMENT, 'utf8')) ?? []
  const { code } = await transform(example, { loader: 'jsx', jsxFactory: 'createElement' })
  return `(() => {
    const effects = []
    const useRef = (current) => ({ current })
    const useEffect = (effect) => effects.push(effect)
    const createElement = (name, { ref, ...attributes }, ...children) => {
      const element = document.createElement(name)
      for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value))
      element.append(...children)
      ref.current = element
      return element
    }
    ${code}
    globalThis.paidCalls = 0
    const onPaid = () => { globalThis.paidCalls += 1 }
    const button = PayButton({ checkoutUrl: ${JSON.stringify(checkoutUrl)}, onPaid })
    document.querySelector('main').replaceChildren(button)
    const cleanUps = effects.map((effect) => effect())
    globalThis.unmount = () => cleanUps.forEach((cleanUp) => cleanUp())
  })()`
}

/** Returns the value of the `integrity` attribute. */
function hash(text: string): string {
  return `sha384-${createHash('sha384').update(text).digest('base64')}`
}
