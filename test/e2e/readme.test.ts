import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'

import { type Devnet, startDevnet } from '../devnet/devnet.ts'

const repository = resolve(import.meta.dirname, '../..')

describe("the README's five minutes to a paid charge", function () {
  this.timeout(120_000)

  let directory: string
  let devnet: Devnet | undefined

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'readme-'))
    devnet = await startDevnet({ directory, program: 'dist' })
  })

  after(async () => {
    await devnet?.stop()
    await rm(directory, { recursive: true })
  })

  it('ends with a settled charge', async () => {
    const script = await readBlockAfter('<!-- test/e2e/readme.test.ts runs the next block. -->')
    const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], {
      cwd: repository,
      env: { ...process.env, DEVNET: join(directory, 'devnet.json') },
      timeout: 60_000,
    })
    const last = /.*"status":"confirmed".*"settlementStatus":"completed".*/
    expect(
      stdout
        .trim()
        .split('\n')
        .filter((line) => line.startsWith('data: '))
        .at(-1),
    ).to.match(last)
  })
})

async function readBlockAfter(mark: string): Promise<string> {
  const readme = await readFile(join(repository, 'README.md'), 'utf8')
  const [, script] = /```sh\n(.*?)```/s.exec(readme.slice(readme.indexOf(mark))) ?? []
  if (script === undefined) throw new Error(`README.md has no block after ${mark}`)
  return script
}
