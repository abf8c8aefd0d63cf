import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { buildEvidence, buildTerms } from '../../support/evidence/build-evidence.ts'
import { runClient } from '../../support/run-client.ts'
import { temporaryDirectory } from '../../support/temporary-directory.ts'

describe('svc-verify-payment', function () {
  this.timeout(120_000)
  let evidence: Awaited<ReturnType<typeof buildEvidence>>
  let file: string

  before(async () => {
    evidence = await buildEvidence()
    file = join(await temporaryDirectory('verify-payment'), 'evidence.json')
    await writeFile(file, JSON.stringify(evidence))
  })

  it('prints the proven amounts and recipients', async () => {
    const { stdout, stderr, exitCode } = await verify(evidence.charge.address)
    expect(exitCode, stderr).to.equal(0)
    expect(stdout).to.match(/^PROVEN: the address 0x/)
    expect(stdout).to.include("10 USDC reached the charge's address")
    expect(stdout).to.include('9.900001 USDC to 0xA1A1')
  })

  it('proves nothing about a different address, and fails', async () => {
    const { stdout, stderr, exitCode } = await verify(buildTerms().charge.address)
    expect([stdout, exitCode]).to.deep.equal(['', 1])
    expect(stderr).to.include(`NOT PROVEN: the evidence is about the address ${evidence.charge.address}`)
  })

  it('requires the hash of a block that the caller trusts', async () => {
    const { stderr, exitCode } = await runClient('verify-payment', [file, '--address', '0x'])
    expect(exitCode).to.equal(1)
    expect(stderr).to.include('--block-hash is missing')
  })

  it('stops reading an endless file at the maximum size of evidence', async () => {
    const args = ['/dev/zero', '--address', '0x', '--block-hash', `0x${'0'.repeat(64)}`]
    const { stderr, exitCode } = await runClient('verify-payment', args)
    expect(exitCode).to.equal(1)
    expect(stderr).to.include('/dev/zero has more than')
  })

  function verify(address: string) {
    const hashes = evidence.data.flatMap(({ block }) => ['--block-hash', block.hash])
    return runClient('verify-payment', [file, '--address', address, ...hashes])
  }
})
