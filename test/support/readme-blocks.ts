import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'

const README = join(resolve(import.meta.dirname, '../..'), 'README.md')

/** The README's commands that it says are run by test/e2e/readme.test.ts, in its order. */
export async function readMarkedBlocks(): Promise<readonly string[]> {
  const readme = await readFile(README, 'utf8')
  const [, ...marked] = readme.split('<!-- test/e2e/readme.test.ts runs ')
  return marked.map((text) => {
    const [, script] = /^[^\n]*-->\n```sh\n(.*?)```/s.exec(text) ?? []
    if (script === undefined) throw new Error(`README.md has no block after "${text.slice(0, 50)}"`)
    return script
  })
}
