import { expect } from 'chai'
import fc from 'fast-check'
import { EvidenceError } from '../../api/client/evidence-error.ts'
import { type VerifiedEvidence, verifyEvidence } from '../../api/client/verify-evidence.ts'
import { buildEvidence } from '../support/evidence/build-evidence.ts'

const isLong = process.env['TEST_LONG'] === '1' // oxlint-disable-line no-process-env -- the duration is a setting of the run
const RUNS = isLong ? 10_000 : 2_000

type Evidence = Awaited<ReturnType<typeof buildEvidence>>

describe('invariants of evidence', function () {
  this.timeout(120_000)
  let evidence: Evidence
  let trust: { readonly address: string; readonly blockHashes: readonly string[] }

  before(async () => {
    evidence = await buildEvidence({ before: 130, after: 20 })
    trust = { address: evidence.charge.address, blockHashes: evidence.data.map(({ block }) => block.hash) }
  })

  const PARTS: Readonly<Record<string, (altered: Evidence, at: number) => Spot>> = {
    header: ({ data: [one] }) => spot(one?.proof, 'header'),
    'node of the proof': ({ data: [one] }, at) => spot(one?.proof.receiptNodes, at % 3),
    amount: ({ data: [one] }, at) => spot(one?.logs[at % 2], 'amountAtomic'),
    party: ({ data: [one] }, at) => spot(one?.logs[at % 2], 'party'),
    'address of the token': ({ data: [one] }, at) => spot(one?.logs[at % 2], 'tokenAddress'),
    kind: ({ data: [one] }, at) => spot(one?.logs[at % 2], 'kind'),
    'time of the block': ({ data: [one] }) => spot(one?.block, 'time'),
    'id of the charge': ({ charge }) => spot(charge, 'id'),
    'address of the charge': ({ charge }) => spot(charge, 'address'),
    salt: ({ charge }) => spot(charge.addressTerms, 'salt'),
    recipient: ({ charge }, at) => spot(charge.addressTerms.recipients[at % 2], 'address'),
    factory: ({ charge }) => spot(charge.addressTerms, 'factory'),
    split: ({ charge }) => spot(charge.addressTerms, 'splitAddress'),
  }

  it('evidence with one altered character in a proof, a log, a block or the terms is refused', async () => {
    const part = fc.constantFrom(...Object.keys(PARTS))
    await fc.assert(
      fc.asyncProperty(
        fc.record({ name: part, at: fc.nat(), place: fc.nat(), code: fc.integer({ min: 0x20, max: 0x7e }) }),
        async ({ name, at, place, code }) => {
          const altered = structuredClone(evidence)
          const { owner, field } = PARTS[name]?.(altered, at) ?? spot(undefined, '')
          const text = String(owner[field])
          const index = place % text.length
          const replaced = `${text.slice(0, index)}${String.fromCodePoint(code)}${text.slice(index + 1)}`
          fc.pre(replaced !== text)
          owner[field] = replaced
          await expectRefused(JSON.stringify(altered), name)
        },
      ),
      { numRuns: RUNS },
    )
  })

  it('evidence with a changed number in a block, a proof, a log or the terms is refused', async () => {
    const numbers: readonly ((altered: Evidence) => Spot)[] = [
      ({ data: [one] }) => spot(one?.block, 'number'),
      ({ data: [one] }) => spot(one?.proof, 'transactionIndex'),
      ({ data: [one] }) => spot(one?.logs[0], 'position'),
      ({ data: [one] }) => spot(one, 'chainId'),
      ({ charge }) => spot(charge.addressTerms.recipients[0], 'allocation'),
      ({ charge }) => spot(charge.addressTerms, 'distributionIncentive'),
      ({ charge }) => spot(charge.addressTerms, 'totalAllocation'),
    ]
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...numbers), fc.integer(), async (find, number) => {
        const altered = structuredClone(evidence)
        const { owner, field } = find(altered)
        fc.pre(owner[field] !== number)
        owner[field] = number
        await expectRefused(JSON.stringify(altered), field)
      }),
      { numRuns: RUNS / 2 },
    )
  })

  it('altering a character of a file never changes the proven facts', async () => {
    const text = JSON.stringify(evidence)
    const original = getStatement(await verifyEvidence(text, trust))
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.integer({ min: 0x20, max: 0x7e }), async (place, code) => {
        const index = place % text.length
        const altered = `${text.slice(0, index)}${String.fromCodePoint(code)}${text.slice(index + 1)}`
        const result = await verifyEvidence(altered, trust).catch((error: unknown) => error)
        if (result instanceof EvidenceError) return
        expect(getStatement(result as VerifiedEvidence), altered).to.deep.equal(original)
      }),
      { numRuns: RUNS },
    )
  })

  async function expectRefused(text: string, what: string): Promise<void> {
    const result = await verifyEvidence(text, trust).catch((error: unknown) => error)
    expect(result, what).to.be.instanceOf(EvidenceError)
  }
})

type Spot = { readonly owner: Record<string | number, unknown>; readonly field: string }

function spot(owner: object | undefined, field: string | number): Spot {
  if (owner === undefined) throw new Error(`the evidence has no ${field}`)
  return { owner: owner as Record<string, unknown>, field: String(field) }
}

/** Returns the proven facts, without the facts that the service only reports. */
function getStatement({ verified, ...rest }: VerifiedEvidence): object {
  return {
    ...rest,
    verified: verified.map(({ txHash: _, logs, ...one }) => ({
      ...one,
      logs: logs.map(({ agreedAt: _at, agreedBy: _by, ...log }) => log),
    })),
  }
}
