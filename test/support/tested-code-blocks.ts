import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'

const REPOSITORY = resolve(import.meta.dirname, '../..')

/**
 * Returns the shell scripts of a document that are marked as run by a test, in order. `document` and `test` are paths
 * in the repository.
 */
export async function readMarkedBlocks(document: string, test: string): Promise<readonly string[]> {
  const page = await readFile(join(REPOSITORY, document), 'utf8')
  const [, ...marked] = page.split(`<!-- ${test} runs `)
  return marked.map((text) => {
    const [, script] = /^[^\n]*-->\n```sh\n(.*?)```/s.exec(text) ?? []
    if (script === undefined) throw new Error(`${document} has no block after "${text.slice(0, 50)}"`)
    return script
  })
}
