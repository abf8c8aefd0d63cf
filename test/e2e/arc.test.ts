import { expect } from 'chai'
import { type Address, getAddress, parseAbiItem, parseUnits } from 'viem'
import { requireData } from '../../api/client/client.ts'
import { readEvidencePages } from '../../api/client/read-evidence-pages.ts'
import type { Schema } from '../../api/client/schema.ts'
import { verifyEvidence } from '../../api/client/verify-evidence.ts'
import type { Pair } from '../../shared/domain/networks.ts'
import { ARC_USDC } from '../devnet/arc/addresses.ts'
import { ARC_CHAIN } from '../devnet/arc/arc-chain.ts'
import { type ArcWallet, createArcWallet } from '../devnet/arc/arc-wallet.ts'
import { createApiCaller } from '../devnet/call-api.ts'
import { type Devnet, startDevnet } from '../devnet/devnet.ts'
import { balanceOf } from '../devnet/send-tokens.ts'
import { waitFor } from '../devnet/wait-for.ts'
import { CONFIRMED, createEscrow, prepareAndOrder, waitForEscrow } from '../support/escrow-scenario.ts'
import { verifyIndependently } from '../support/evidence/verify-independently.ts'
import { readQrCode } from '../support/read-qr-code.ts'
import {
  type ChargeJson,
  createCharge,
  getCharge,
  query,
  waitForCharge,
  waitUntilSettled,
} from '../support/scenario.ts'
import { temporaryDirectory } from '../support/temporary-directory.ts'
import { TRANSFER_EVENT } from '../support/transfer-event.ts'

const USDC_ON_ARC: Pair = { token: 'USDC', network: 'arc' }
const EMITTER: Address = '0xffffFFFfFFffffffffffffffFfFFFfffFFFfFFfE'
const DISTRIBUTED = parseAbiItem(
  'event SplitDistributed(address indexed token, address indexed distributor, uint256 amount)',
)
/** One unit of the token, in units of the native coin. */
const UNIT_WEI = 10n ** 12n

describe('payments on Arc, end to end', function () {
  this.timeout(300_000)

  let devnet: Devnet
  let payer: ArcWallet
  let payer2: ArcWallet
  const charges: ChargeJson[] = []

  before(async () => {
    devnet = await startDevnet({
      ...{ directory: await temporaryDirectory('e2e-arc'), program: 'dist', graceSeconds: 1 },
      chains: [ARC_CHAIN],
    })
    const [chain] = devnet.chains
    if (chain === undefined) throw new Error('the devnet has no Arc')
    payer = createArcWallet(chain.anvil, devnet.description.accounts.payer)
    payer2 = createArcWallet(chain.anvil, devnet.description.accounts.payer2)
  })

  after(() => devnet?.stop())

  async function charge(amount: number): Promise<ChargeJson> {
    const made = await createCharge(devnet, { amount, acceptedPayments: [USDC_ON_ARC] })
    charges.push(made)
    return made
  }

  const untilReceived = (id: string, amount: string) =>
    waitForCharge(devnet, id, {
      what: `paid ${amount}`,
      holds: ({ amountReceivedExact }) => amountReceivedExact === amount,
    })

  it('in the native coin are paid out in the token if they are sent before the split exists', async () => {
    const account = devnet.description.accounts.merchant.address
    const before = await balanceOf(devnet.description, { ...USDC_ON_ARC, account })
    const { id, address } = await charge(10)
    await payer.sendNative(address, dollars('10'))
    const settled = await waitUntilSettled(devnet, id)
    expect(settled).to.deep.include({
      status: 'confirmed',
      amountReceivedExact: '10',
      paidWith: [USDC_ON_ARC],
    })
    expect((await balanceOf(devnet.description, { ...USDC_ON_ARC, account })) - before).to.equal(9_900_001n)
    expect(await distributionsOf(address)).to.deep.equal([10_000_000n])
  })

  it('in the native coin are paid out in the token if they are sent after the split exists', async () => {
    const { id, address } = await charge(2)
    await payer.sendNative(address, dollars('2'))
    await waitUntilSettled(devnet, id)
    await payer.sendNative(address, dollars('3'))
    await waitFor(async () => (await distributionsOf(address)).length === 2, {
      what: 'the later payment to be paid out',
      timeoutMs: 120_000,
    })
    expect(await getCharge(devnet, id)).to.include({ status: 'confirmed', amountReceivedExact: '5' })
    expect(await distributionsOf(address)).to.deep.equal([2_000_000n, 3_000_000n])
  })

  it('in the token are credited once although two contracts log them', async () => {
    const { id, address } = await charge(4)
    const { logs, transactionHash } = await payer.sendToken(address, 4_000_000n)
    expect(logs.map((log) => log.address.toLowerCase())).to.have.members([EMITTER.toLowerCase(), ARC_USDC])
    const settled = await waitUntilSettled(devnet, id)
    expect(settled).to.include({ amountReceivedExact: '4', isOverpaid: false, txHash: transactionHash })
  })

  it('are added up below one unit of the token, so that two payments of 0.6 units complete a charge that lacks one unit', async () => {
    const { id, address } = await charge(1.000001)
    await payer.sendNative(address, dollars('1'))
    await payer.sendNative(address, dollars('0.0000006'))
    await untilReceived(id, '1.0000006')
    expect((await getCharge(devnet, id)).status).to.equal('partially_paid')
    await payer.sendNative(address, dollars('0.0000006'))
    expect(await waitUntilSettled(devnet, id)).to.include({ amountReceivedExact: '1.0000012' })
    expect(await distributionsOf(address)).to.deep.equal([1_000_001n])
    expect(await payer.client.getBalance({ address })).to.equal(dollars('0.0000002'))
  })

  it('include transfers through a contract and minted tokens, but not transfers in a reverted call frame', async () => {
    const { id, address } = await charge(3)
    await payer.sendInRevertedFrame(address, dollars('3'))
    await payer.sendThroughContract(address, dollars('1'))
    await untilReceived(id, '1')
    await payer.mint(address, 2_000_000n)
    expect(await waitUntilSettled(devnet, id)).to.include({ amountReceivedExact: '3' })
  })

  it('in the native coin are found by their transaction hash', async () => {
    const { id, address } = await charge(1)
    const { transactionHash: txHash } = await payer2.sendNative(address, dollars('1'))
    const params = { path: { id } }
    const check = createApiCaller(devnet.description).POST('/v1/charges/{id}/check', {
      params,
      body: { txHash, network: 'arc' },
    })
    const { address: sender } = devnet.description.accounts.payer2
    expect(await requireData(check)).to.deep.include({ transactionSender: sender, tokenSenders: [sender] })
    await waitUntilSettled(devnet, id)
  })

  it('are impossible from an account that the issuer blocks, and charges for a blocked merchant are rejected', async () => {
    const { id, address } = await charge(1)
    // Uses another organization, because the issuer's response for the first organization's address is cached.
    const { payer2: stopped, merchant2 } = devnet.description.accounts
    await payer.setBlacklisted(stopped.address, true)
    expect(await failureOf(() => payer2.sendNative(address, dollars('1')))).to.include('blocklisted')
    await payer.setBlacklisted(stopped.address, false)
    await payer.setBlacklisted(merchant2.address, true)
    const body = { amount: 1, acceptedPayments: [USDC_ON_ARC], expiresIn: 600 }
    const other = createApiCaller(devnet.description, 'otherOrganization')
    // If the issuer's contract needs more than a second to respond, the API creates charges for the next 30 s.
    const refusal = await waitFor(async () => (await other.POST('/v1/charges', { body })).error, {
      ...{ what: 'the charge to be rejected', timeoutMs: 120_000, intervalMs: 1_000 },
    })
    await payer.setBlacklisted(merchant2.address, false)
    expect(refusal).to.have.nested.property('error.code', 'recipient_transfer_restricted')
    expect(await getCharge(devnet, id)).to.include({ status: 'pending', amountReceivedExact: null })
  })

  it('are requested by a QR code in units of the token', async () => {
    const { id, address } = await charge(1.5)
    const { data } = await createApiCaller(devnet.description).GET('/v1/charges/{id}/qrcode', {
      params: { path: { id } },
      parseAs: 'text',
    })
    expect(readQrCode(data ?? '')).to.equal(
      `ethereum:${ARC_USDC}@5042/transfer?address=${address}&uint256=1500000`,
    )
  })

  it('stay in an escrow until their release, after which only dust below one unit of the token remains there', async () => {
    const terms = { amount: 6, acceptedPayments: [USDC_ON_ARC] }
    const escrow = await createEscrow(devnet, terms)
    await payer.sendNative(escrow.address, dollars('6.0000004'))
    await waitForEscrow(devnet, escrow.id, CONFIRMED)
    const { answer } = await prepareAndOrder(devnet, escrow.id, 'release')
    expect(answer.status).to.be.oneOf([200, 202])
    expect(await waitUntilSettled(devnet, escrow.id)).to.include({ amountReceivedExact: '6.0000004' })
    expect(await payer.client.getBalance({ address: escrow.address })).to.equal(dollars('0.0000004'))
  })

  it('match the balances exactly, to 10⁻¹⁸ dollars', async () => {
    const rows = await query(
      devnet,
      (sql) =>
        sql<
          { chargeId: string; dust: bigint }[]
        >`select charge_id, credited_dust_atto as dust from charge_ledgers`,
    )
    const dustOf = new Map(rows.map(({ chargeId, dust }) => [chargeId, dust]))
    for (const { id, address } of charges) {
      const { amountReceivedExact } = await getCharge(devnet, id)
      const paidIn = sum(await paidInto(address))
      const paidOut = sum(await distributionsOf(address)) * UNIT_WEI
      const left = await payer.client.getBalance({ address })
      expect(dollars(amountReceivedExact ?? '0'), `the received amount of charge ${id}`).to.equal(paidIn)
      expect(left, `the balance of the split of charge ${id}`).to.equal(paidIn - paidOut)
      expect(left, 'the dust in the ledger').to.equal(dustOf.get(id) ?? 0n)
      expect(left < UNIT_WEI, `${left} is less than one unit of the token`).to.equal(true)
    }
  })

  it('are proven, with their payouts, to a program that shares no code with the service', async () => {
    const emitters = { [getAddress(ARC_USDC)]: EMITTER }
    let proven = 0
    for (const { id, address } of charges) {
      const evidence = await waitForProofs(id)
      const payments = verifyIndependently(evidence, emitters).flatMap(({ found }) => found)
      const credited = sum(payments.filter(({ kind }) => kind === 'credit').map(({ amount }) => amount))
      expect(credited, id).to.equal(sum(await paidInto(address)))
      const blockHashes = evidence.data.map(({ block }) => block.hash)
      const { verified } = await verifyEvidence(JSON.stringify(evidence), { address, blockHashes })
      expect(verified).to.have.length(evidence.data.length)
      proven += evidence.data.length
    }
    expect(proven).to.be.at.least(10)
  })

  /** Waits until every proof of a charge exists, and returns the charge's evidence. */
  function waitForProofs(id: string): Promise<Schema<'ChargeEvidence'>> {
    const api = createApiCaller(devnet.description)
    return waitFor(
      async () => {
        const evidence = await readEvidencePages(api, id)
        return evidence.data.every(({ proof }) => proof !== null) ? evidence : undefined
      },
      { what: `the proofs of ${id}`, timeoutMs: 120_000 },
    )
  }

  async function distributionsOf(address: Address): Promise<readonly bigint[]> {
    const logs = await payer.client.getLogs({ address, event: DISTRIBUTED, fromBlock: 0n, strict: true })
    return logs.map(({ args }) => args.amount)
  }

  async function paidInto(to: Address): Promise<readonly bigint[]> {
    const range = {
      address: EMITTER,
      event: TRANSFER_EVENT,
      args: { to },
      fromBlock: 0n,
      strict: true,
    } as const
    return (await payer.client.getLogs(range)).map(({ args }) => args.value)
  }
})

function dollars(amount: string): bigint {
  return parseUnits(amount, 18)
}

function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((all, amount) => all + amount, 0n)
}

async function failureOf(attempt: () => Promise<unknown>): Promise<string> {
  return attempt().then(
    () => 'no failure',
    (error: unknown) => `${String(error)} ${JSON.stringify(error)}`,
  )
}
