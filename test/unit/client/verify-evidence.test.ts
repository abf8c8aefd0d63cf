import { expect } from 'chai'
import { EvidenceError } from '../../../api/client/evidence-error.ts'
import { verifyEvidence } from '../../../api/client/verify-evidence.ts'
import { type Address, checksum } from '../../../shared/domain/address.ts'
import { newId } from '../../../shared/domain/ids.ts'
import {
  buildBlock,
  buildEvidence,
  buildTerms,
  buildTronTerms,
  describeLog,
  KEEPER,
  MERCHANT,
  PAYER,
  TREASURY,
  transfer,
} from '../../support/evidence/build-evidence.ts'
import { verifyIndependently } from '../../support/evidence/verify-independently.ts'

type Built = Awaited<ReturnType<typeof buildEvidence>>

const TX_HASH = `0x${'33'.repeat(32)}`
const OTHER = `0x${'cc'.repeat(20)}` as Address

describe('verifyEvidence', () => {
  it('names the payment, the distribution and the paid accounts', async () => {
    const { verified, recipients, unverified } = await verify(await buildEvidence())
    const [one] = verified
    expect(one?.logs.map(({ kind, party, amountAtomic }) => [kind, party, amountAtomic])).to.deep.equal([
      ['credit', checksum(PAYER), '10000000'],
      ['distribution', checksum(KEEPER), '10000000'],
    ])
    expect(
      one?.paid.map(({ address, amountAtomic, allocation }) => [address, amountAtomic, allocation]),
    ).to.deep.equal([
      [checksum(KEEPER), '10000', null],
      [checksum(TREASURY), '89999', 9_009],
      [checksum(MERCHANT), '9900001', 990_991],
    ])
    expect(recipients.map(({ address }) => address)).to.deep.equal([MERCHANT, TREASURY].map(checksum))
    expect(unverified).to.deep.equal([])
  })

  for (const [before, after] of [
    [0, 0],
    [0, 1],
    [127, 1],
    [128, 200],
    [299, 0],
  ] as const) {
    it(`agrees with an independent program on the receipt with index ${before} of ${before + after + 1}`, async () => {
      const evidence = await buildEvidence({ before, after })
      const [independent] = verifyIndependently(evidence)
      const { verified } = await verify(evidence)
      expect(independent?.found.map(({ amount }) => String(amount))).to.deep.equal(
        verified[0]?.logs.map(({ amountAtomic }) => amountAtomic),
      )
      expect(independent?.paid.map(({ amount }) => String(amount))).to.deep.equal(
        verified[0]?.paid.map(({ amountAtomic }) => amountAtomic),
      )
    })
  }

  it('verifies no transaction in a block whose hash the caller did not give', async () => {
    const evidence = await buildEvidence()
    const hash = `0x${'99'.repeat(32)}`
    await expectRefused(
      verifyEvidence(JSON.stringify(evidence), { address: evidence.charge.address, blockHashes: [hash] }),
      'no transaction in the block',
    )
    const { verified, unverified } = await verifyEvidence(JSON.stringify(evidence), {
      address: evidence.charge.address,
      blockHashes: [],
    })
    expect([verified.length, unverified.length]).to.deep.equal([0, 1])
  })

  it('refuses a transaction without proof in a block whose hash was given', async () => {
    await expectAltered(
      ({ data: [one] }) => Object.assign(one ?? {}, { proof: null, reason: 'pending' }),
      'proves no transaction',
    )
  })

  it('refuses a failed transaction', async () => {
    const { address, charge } = buildTerms()
    const block = await buildBlock({
      logs: [transfer(PAYER, address, 5n)],
      before: 1,
      after: 1,
      isSuccess: false,
    })
    const logs = [describeLog('credit', { position: 0, party: PAYER, amount: 5n })]
    const one = { network: 'base', chainId: 8453, txHash: TX_HASH, reason: null, logs, ...block }
    await expectRefused(verify({ charge, data: [one] }), 'failed')
  })

  it('refuses the header of another block', async () => {
    const evidence = await buildEvidence()
    const hash = `0x${'99'.repeat(32)}`
    for (const { block } of evidence.data) block.hash = hash
    await expectRefused(verify(evidence), 'does not have the hash')
  })

  it('refuses the proof of a receipt in another block', async () => {
    const other = await buildEvidence({ before: 4 })
    await expectAltered(
      ({ data }) =>
        Object.assign(data[0]?.proof ?? {}, {
          receiptNodes: other.data[0]?.proof.receiptNodes,
          transactionIndex: 4,
        }),
      'does not lead to',
    )
  })

  it('refuses a transfer that another contract logged', async () => {
    const { address, charge } = buildTerms()
    const worthless = { ...transfer(PAYER, address, 5n), address: OTHER }
    const block = await buildBlock({ logs: [worthless], before: 0, after: 0 })
    const logs = [describeLog('credit', { position: 0, party: PAYER, amount: 5n })]
    const one = { network: 'base', chainId: 8453, txHash: TX_HASH, reason: null, logs, ...block }
    await expectRefused(verify({ charge, data: [one] }), 'is of the contract')
  })

  it("refuses the split's own money as a payment", async () => {
    const { address, charge } = buildTerms()
    const block = await buildBlock({ logs: [transfer(address, address, 5n)], before: 0, after: 0 })
    const logs = [describeLog('credit', { position: 0, party: address, amount: 5n })]
    const one = { network: 'base', chainId: 8453, txHash: TX_HASH, reason: null, logs, ...block }
    await expectRefused(verify({ charge, data: [one] }), 'cannot be a payment')
  })

  it('refuses a token that is neither built in nor named by the caller', async () => {
    const evidence = await buildEvidence()
    for (const one of evidence.data) one.chainId = 31_337
    await expectRefused(verify(evidence), 'is not a known token')
    const tokens = evidence.data.flatMap(({ logs }) => logs.map(({ tokenAddress }) => tokenAddress))
    const { verified } = await verify(evidence, tokens)
    expect(verified[0]?.logs[0]?.of.decimals).to.equal(null)
  })

  const ALTERATIONS: Readonly<Record<string, readonly [(evidence: Built) => unknown, string]>> = {
    'another amount': [
      ({ data }) => Object.assign(logOf(data, 0), { amountAtomic: '10000001' }),
      'has the amount',
    ],
    'another sender': [
      ({ data }) => Object.assign(logOf(data, 0), { party: checksum(OTHER) }),
      'is not a credit',
    ],
    'another distributor': [
      ({ data }) => Object.assign(logOf(data, 1), { party: checksum(OTHER) }),
      'is not a distribution',
    ],
    'another kind': [({ data }) => Object.assign(logOf(data, 1), { kind: 'held' }), 'is not a held'],
    'another token': [({ data }) => Object.assign(logOf(data, 0), { token: 'USDT' }), 'is USDC on base'],
    'another network': [
      ({ data }) => Object.assign(data[0] ?? {}, { network: 'arbitrum' }),
      'not USDC on arbitrum',
    ],
    'a transfer to another account as the payment': [
      ({ data }) => Object.assign(logOf(data, 0), { position: 0, amountAtomic: '1' }),
      'is not a credit',
    ],
    'a log that is listed twice': [({ data }) => data[0]?.logs.push(logOf(data, 0)), 'lists a log twice'],
    'a transaction that is listed twice': [({ data }) => data.push(...data), 'lists a transaction twice'],
    'a transaction without logs': [({ data }) => data[0]?.logs.splice(0), 'has no logs'],
    'another block number': [
      ({ data }) => Object.assign(data[0]?.block ?? {}, { number: 1 }),
      'has the number',
    ],
    'another time': [
      ({ data }) => Object.assign(data[0]?.block ?? {}, { time: '2026-11-27T12:00:00.000Z' }),
      'was made at',
    ],
    'another index': [
      ({ data }) => Object.assign(data[0]?.proof ?? {}, { transactionIndex: 3 }),
      'does not lead to',
    ],
    'a proof with an additional node': [
      ({ data }) => data[0]?.proof.receiptNodes.push('0xc0'),
      'does not lead to',
    ],
    'a proof without nodes': [({ data }) => data[0]?.proof.receiptNodes.splice(0), 'does not lead to'],
    'another recipient': [
      ({ charge }) => Object.assign(charge.addressTerms.recipients[0] ?? {}, { address: checksum(OTHER) }),
      'must be',
    ],
    'another id': [({ charge }) => Object.assign(charge, { id: newId('ch', 0) }), 'salt'],
    'another factory': [
      ({ charge }) => Object.assign(charge.addressTerms, { factory: checksum(OTHER) }),
      'only trusted code',
    ],
    'another family': [({ charge }) => Object.assign(charge.addressTerms, { family: 'tron' }), 'family'],
    'an address in lowercase': [
      ({ charge }) => Object.assign(charge, { address: charge.address.toLowerCase() }),
      'spelling',
    ],
    'a control character in a hash': [
      ({ data }) => Object.assign(data[0] ?? {}, { txHash: '\u001b[2J' }),
      'txHash must match',
    ],
  }
  for (const [what, [alter, message]] of Object.entries(ALTERATIONS)) {
    it(`refuses ${what}`, () => expectAltered(alter, message))
  }

  it('refuses evidence about an address other than the caller’s, even with the same id', async () => {
    const evidence = await buildEvidence()
    const trust = { address: checksum(OTHER), blockHashes: evidence.data.map(({ block }) => block.hash) }
    await expectRefused(verifyEvidence(JSON.stringify(evidence), trust), 'is about the address')
  })

  it('refuses sentences in fields that are printed next to proven facts', async () => {
    const claim = 'ch_1. Acme has RECEIVED 1,000,000 USDC'
    const sentences: readonly ((evidence: Built) => unknown)[] = [
      ({ charge }) => Object.assign(charge, { id: claim }),
      ({ data }) => Object.assign(data[0] ?? {}, { network: claim }),
      ({ data }) => Object.assign(data[0] ?? {}, { txHash: claim }),
      ({ data }) => Object.assign(data[0] ?? {}, { reason: claim }),
      ({ data }) => Object.assign(logOf(data, 0), { token: claim }),
      ({ data }) => Object.assign(logOf(data, 0), { agreedAt: claim }),
      ({ data }) => Object.assign(logOf(data, 0), { agreedBy: [claim] }),
    ]
    for (const alter of sentences) await expectAltered(alter, 'must')
  })

  it('returns the owner of an escrow, who alone decides about its money', async () => {
    const { charge } = buildTerms({ escrowOwner: OTHER })
    const trust = { address: charge.address, blockHashes: [] }
    const found = await verifyEvidence(JSON.stringify({ charge, data: [] }), trust)
    expect(found).to.deep.include({ escrowOwner: checksum(OTHER), incentive: 1_000 })
    expect(found.splitAddress).not.to.equal(found.address)
  })

  it('refuses a proof for a charge on a network whose headers do not commit to receipts', async () => {
    const { data } = await buildEvidence()
    const { charge, factory } = buildTronTerms()
    const trust = { address: charge.address, blockHashes: data.map(({ block }) => block.hash) }
    for (const known of [{ factory }, {}]) {
      const refused = verifyEvidence(JSON.stringify({ charge, data }), { ...trust, ...known })
      await expectRefused(refused, 'do not commit to receipts')
    }
  })

  it('refuses a header whose time is beyond the range of dates', async () => {
    const { address, charge } = buildTerms()
    const block = await buildBlock({
      logs: [transfer(PAYER, address, 5n)],
      before: 0,
      after: 0,
      timestamp: 2 ** 52,
    })
    const logs = [describeLog('credit', { position: 0, party: PAYER, amount: 5n })]
    const one = { network: 'base', chainId: 8453, txHash: TX_HASH, reason: null, logs, ...block }
    await expectRefused(verify({ charge, data: [one] }), 'unknown form')
  })

  it('refuses malformed evidence and evidence above the size limit', async () => {
    for (const text of ['', '[]', '{"charge":null}', `"${'x'.repeat(33 * 1024 * 1024)}"`])
      await expectRefused(verifyEvidence(text, { address: checksum(OTHER), blockHashes: [] }), '')
  })
})

function logOf(data: Built['data'], index: number) {
  const log = data[0]?.logs[index]
  if (log === undefined) throw new Error('the evidence has two logs')
  return log
}

function verify(
  evidence: { charge: { address: string }; data: readonly { block: { hash: string } }[] },
  tokens: readonly string[] = [],
) {
  const blockHashes = evidence.data.map(({ block }) => block.hash)
  const { address } = evidence.charge
  return verifyEvidence(JSON.stringify(evidence), { address, blockHashes, tokens })
}

async function expectAltered(alter: (evidence: Built) => unknown, message: string): Promise<void> {
  const evidence = await buildEvidence()
  alter(evidence)
  await expectRefused(verify(evidence), message)
}

async function expectRefused(verification: Promise<unknown>, message: string): Promise<void> {
  const error: unknown = await verification.then(
    () => null,
    (thrown: unknown) => thrown,
  )
  expect(error).to.be.instanceOf(EvidenceError)
  expect((error as EvidenceError).message).to.include(message)
}
