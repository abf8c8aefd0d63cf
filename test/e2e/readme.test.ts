import { execFile } from 'node:child_process'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'

import type { Devnet } from '../devnet/devnet.ts'
import { LIVE_DEVNET } from '../support/live-devnet.ts'
import { readMarkedBlocks } from '../support/tested-code-blocks.ts'

const repository = resolve(import.meta.dirname, '../..')

describe('the README’s section “Five minutes to a paid charge”', function () {
  this.timeout(300_000)

  let devnet: Devnet
  let descriptionFile: string

  // The devnet has only live networks, so the test also proves that the sandbox needs no testnet.
  before(async () => {
    ;({ devnet, descriptionFile } = await LIVE_DEVNET.of(import.meta.filename))
  })

  it('leads to a settled charge whose address pays the merchant, and to a sandbox charge that is settled without a chain', async () => {
    const blocks = await readMarkedBlocks('README.md', 'test/e2e/readme.test.ts')
    expect(blocks).to.have.length(3)
    const lines = (await run(blocks.join('\n'), {})).trim().split('\n')
    const last = /.*"status":"confirmed".*"settlementStatus":"completed".*/
    expect(lines.filter((line) => line.startsWith('data: ')).at(-1)).to.match(last)
    expect(lines.join('\n')).to.include('is the address of these terms').and.to.include('the merchant')
    const [watched, ...triggered] = lines.slice(-3)
    expect(watched).to.equal('confirmed  10 of 10 USD, settlement completed')
    expect(triggered).to.deep.equal([
      'confirmed  10 of 10 USD, settlement pending',
      'confirmed  10 of 10 USD, settlement completed',
    ])
  })

  it('corresponds to the quick start in /docs, whose examples work unchanged', async () => {
    const { apiUrl, keys } = devnet.description
    const page = await (await fetch(`${apiUrl}/docs`)).text()
    const examples = [...page.matchAll(/<pre tabindex="0" id="quick-start-[^"]*"><code>(.*?)<\/code>/gs)]
    expect(examples).to.have.length(3)
    for (const [, example = ''] of examples) {
      const answer = JSON.parse(await run(unescape(example), { API: apiUrl, KEY: keys.live })) as object
      expect(answer).to.not.have.property('error')
    }
  })

  async function run(script: string, env: Readonly<Record<string, string>>): Promise<string> {
    const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', script], {
      cwd: repository,
      env: { ...process.env, DEVNET: descriptionFile, ...env },
      timeout: 150_000,
    })
    return stdout
  }
})

function unescape(text: string): string {
  return text
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&quot;/g, '"')
    .replace(/&amp;/g, '&')
}
