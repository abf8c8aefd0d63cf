import { expect } from 'chai'
import type { Abi, Hex } from 'viem'
import { foundry } from 'viem/chains'
import walletArtifact from '../../../contracts/artifacts/TestSigningWallet.json' with { type: 'json' }
import type { Sql } from '../../../shared/db/connect.ts'
import type { RefundClaimRequest, RefundPayload } from '../../../shared/db/refunds/refund-requests.ts'
import { inTransaction } from '../../../shared/db/transaction.ts'
import type { Address } from '../../../shared/domain/address.ts'
import { createClaimSecret, hashClaimSecret } from '../../../shared/domain/refund/claim-secret.ts'
import { type ClaimTerms, presentClaimData } from '../../../shared/domain/refund/refund-claim.ts'
import { ACCOUNTS, toSigner } from '../../devnet/accounts.ts'
import { addressOf, anotherProcess, type PaidCharge, type Stage } from '../../support/payout-fixture.ts'
import { stageForEach } from '../../support/payout-fixture-for-each.ts'
import {
  CHECKOUT,
  createRefundDaemon,
  declare,
  fund,
  merchantOf,
  mineDeep,
  PAYER,
  type RefundDaemon,
  send,
} from '../../support/refund-fixture.ts'
import { type RpcProxy, startRpcProxy } from '../../support/rpc-proxy.ts'
import { waitForLockWait } from '../../support/wait-for-lock-wait.ts'

const STRANGER = addressOf(`0x${'ab'.repeat(20)}`)
/** The account that paid the charge. */
const SENDER = ACCOUNTS.payer2

describe('the payer of a refund', () => {
  let stage: Stage
  let second: RpcProxy
  let daemon: RefundDaemon
  let charge: PaidCharge
  let link: string

  stageForEach(async (fresh) => {
    stage = fresh
    second = await startRpcProxy(stage.rpcUrl)
    daemon = createRefundDaemon(stage, [stage.rpcUrl, second.url])
    charge = await payFrom(addressOf(SENDER.address.toLowerCase()))
    link = newLink()
  })

  afterEach(() => second.stop())

  it('is paid at the address that they gave, by a transfer after the approval', async () => {
    const id = await declareClaim()
    expect(await stateOf(id)).to.include({ status: 'awaiting_destination', destination: null })
    expect(await claim(id)).to.include({ outcome: 'done', isReplay: false })
    expect(await stateOf(id)).to.include({ status: 'awaiting_approval', destination: null })
    await pay()
    expect(await approve(id)).to.include({ outcome: 'done' })
    await expectUnpaid(id)
    const txHash = await pay()
    await mineDeep(stage)
    await daemon.watch()
    expect(await stateOf(id)).to.include({ status: 'confirmed', destination: PAYER, txHash })
    const events = ['charge.refund_claimed', 'charge.refund_approved', 'charge.refunded']
    expect(await listEvents()).to.deep.equal(events)
  })

  it('stays approved if the approval is repeated after the transfer was seen and after it was confirmed', async () => {
    const id = await declareClaim()
    await claim(id)
    await approve(id)
    await pay()
    await daemon.watch()
    expect(await stateOf(id)).to.include({ status: 'seen' })
    expect(await approve(id)).to.include({ outcome: 'done', isReplay: true })
    await mineDeep(stage)
    await daemon.watch()
    expect(await stateOf(id)).to.include({ status: 'confirmed' })
    expect(await approve(id)).to.include({ outcome: 'done', isReplay: true })
    expect(await approve(id, STRANGER)).to.include({ code: 'refund_not_awaiting_approval' })
    const events = ['charge.refund_claimed', 'charge.refund_approved', 'charge.refunded']
    expect(await listEvents()).to.deep.equal(events)
  })

  it('is approved once by two concurrent approvals of the same address', async () => {
    const id = await declareClaim()
    await claim(id)
    const approveFirst = async () => {
      await stage.sql`update refund_claims set decision = 'approved', decided_at = now() where refund_id = ${id}`
      await stage.sql`
        update refunds set status = 'awaiting_payment', destination = ${PAYER}, after_block = 1, scanned_block = 1
        where id = ${id}`
    }
    const urls = [stage.rpcUrl, second.url]
    const racing = createRefundDaemon(stage, urls, { sql: beforeSecond(approveFirst) })
    const content = { action: 'approve', refundId: id, address: PAYER } as const
    expect(await racing.request(charge.chargeId, content)).to.include({ outcome: 'done', isReplay: true })
    expect(await listEvents()).to.deep.equal(['charge.refund_claimed'])
  })

  it('is not approved again after the merchant has canceled the refund', async () => {
    const id = await declareClaim()
    await claim(id)
    await approve(id)
    await daemon.request(charge.chargeId, { action: 'cancel', refundId: id })
    expect(await approve(id)).to.include({ code: 'refund_not_awaiting_approval' })
  })

  it('can give one address, and a different one only after a rejection, with the new link', async () => {
    const id = await declareClaim()
    await claim(id)
    expect(await claim(id)).to.include({ outcome: 'done', isReplay: true })
    expect(await claim(id, { destination: STRANGER })).to.include({ code: 'refund_not_claimable' })
    expect(await claimedOf(id)).to.deep.equal([{ destination: PAYER, decision: null }])
    const old = link
    expect(await decide(id, 'reject')).to.include({ code: 'validation_error' })
    link = newLink()
    await decide(id, 'reject')
    expect(await claim(id, { claimHash: old })).to.include({ code: 'refund_not_found' })
    expect(await claim(id, { destination: STRANGER })).to.include({ outcome: 'done' })
    expect(await claimedOf(id)).to.deep.equal([
      { destination: PAYER, decision: 'rejected' },
      { destination: STRANGER, decision: null },
    ])
    expect(await listEvents()).to.deep.equal(['charge.refund_claimed', 'charge.refund_claimed'])
  })

  it('cannot give an address with a replaced link or an unknown link', async () => {
    const id = await declareClaim()
    const old = link
    link = newLink()
    await decide(id, 'renew_link')
    for (const claimHash of [old, newLink()])
      expect(await claim(id, { claimHash })).to.include({ code: 'refund_not_found' })
    expect(await claim(id)).to.include({ outcome: 'done' })
    expect(await decide(id, 'renew_link')).to.include({ code: 'refund_not_claimable' })
  })

  it('is not paid if the merchant approves a different address, or approves before the payer gives one', async () => {
    const id = await declareClaim()
    expect(await approve(id)).to.include({ code: 'refund_not_awaiting_approval' })
    expect(await decide(id, 'reject')).to.include({ code: 'refund_not_awaiting_approval' })
    await claim(id, { destination: STRANGER })
    expect(await approve(id, PAYER)).to.include({ code: 'refund_address_mismatch' })
    expect(await stateOf(id)).to.include({ status: 'awaiting_approval', destination: null })
    await approve(id, STRANGER)
    expect(await approve(id, STRANGER)).to.include({ outcome: 'done', isReplay: true })
    expect(await claim(id)).to.include({ code: 'refund_not_claimable' })
    expect(await stateOf(id)).to.include({ status: 'awaiting_payment', destination: STRANGER })
  })

  it('cannot give an address that the merchant may not name either', async () => {
    const id = await declareClaim()
    for (const destination of [charge.splitAddress, stage.token, merchantOf(charge)])
      expect(await claim(id, { destination })).to.include({ code: 'destination_not_allowed' })
    expect(await stateOf(id)).to.include({ status: 'awaiting_destination' })
  })

  it('gets no approval for an address to which an equal refund is pending', async () => {
    await declare(daemon, charge)
    const id = await declareClaim()
    await claim(id)
    expect(await approve(id)).to.include({ code: 'refund_ambiguous' })
    expect(await stateOf(id)).to.include({ status: 'awaiting_approval', destination: null })
    expect(await claimedOf(id)).to.deep.equal([{ destination: PAYER, decision: null }])
  })

  it('has the amount reserved before they give an address, until the merchant or the deadline ends the refund', async () => {
    const reserved = await declareClaim({ amount: '12' })
    expect(await declareRefused()).to.include({ code: 'nothing_received' })
    await daemon.request(charge.chargeId, { action: 'cancel', refundId: reserved })
    expect(await claim(reserved)).to.include({ code: 'refund_not_claimable' })
    link = newLink()
    const late = await declareClaim({ amount: '12' })
    await claim(late)
    await stage.sql`update refunds set created_at = now() - interval '31 days', expires_at = now() where id = ${late}`
    await daemon.expire()
    expect(await stateOf(late)).to.include({ status: 'expired', destination: null })
    expect(await approve(late)).to.include({ code: 'refund_not_awaiting_approval' })
    expect(await listEvents()).to.deep.equal(['charge.refund_claimed', 'charge.refund_expired'])
    await declare(daemon, charge)
  })

  it('cannot give an address after the deadline, even if the daemon has not expired the refund yet', async () => {
    const id = await declareClaim()
    await stage.sql`update refunds set created_at = now() - interval '31 days', expires_at = now() where id = ${id}`
    expect(await claim(id, { signed: await sign(id) })).to.include({ code: 'refund_not_claimable' })
    expect(await claimedOf(id)).to.deep.equal([])
  })

  it('does not get a new link after the deadline, even if the daemon has not expired the refund yet', async () => {
    const id = await declareClaim()
    await stage.sql`update refunds set created_at = now() - interval '31 days', expires_at = now() where id = ${id}`
    link = newLink()
    expect(await decide(id, 'renew_link')).to.include({ code: 'refund_not_claimable' })
  })

  it('does not get an approval after the deadline, even if the daemon has not expired the refund yet', async () => {
    const id = await declareClaim()
    await claim(id)
    await stage.sql`update refunds set created_at = now() - interval '31 days', expires_at = now() where id = ${id}`
    expect(await approve(id)).to.include({ code: 'refund_not_awaiting_approval' })
    expect(await claimedOf(id)).to.deep.equal([{ destination: PAYER, decision: null }])
  })

  it('does not get a rejection after the deadline, because its new link would be of no use', async () => {
    const id = await declareClaim()
    await claim(id)
    await stage.sql`update refunds set created_at = now() - interval '31 days', expires_at = now() where id = ${id}`
    link = newLink()
    expect(await decide(id, 'reject')).to.include({ code: 'refund_not_awaiting_approval' })
    expect(await claimedOf(id)).to.deep.equal([{ destination: PAYER, decision: null }])
  })

  it('keeps a refund that the merchant approves while the daemon is about to expire it', async () => {
    const id = await declareClaim()
    await claim(id)
    await stage.sql`update refunds set created_at = now() - interval '31 days', expires_at = now() where id = ${id}`
    const locker = anotherProcess(stage)
    const expired = await inTransaction(locker, async (db) => {
      await db`select from charges where id = ${charge.chargeId} for no key update`
      const expiring = daemon.expire()
      await waitForLockWait(stage.daemonSql)
      await db`update refund_claims set decision = 'approved', decided_at = now() where refund_id = ${id}`
      await db`
        update refunds set status = 'awaiting_payment', destination = ${PAYER}, after_block = 1, scanned_block = 1
        where id = ${id}`
      return { expiring }
    })
    await Promise.all([expired.expiring, locker.end()])
    expect(await stateOf(id)).to.include({ status: 'awaiting_payment', destination: PAYER })
  })

  it('can sign the address with the key that paid, and the signature does not approve the address', async () => {
    const id = await declareClaim()
    const signed = await sign(id)
    expect(await claim(id, { signed })).to.include({ outcome: 'done' })
    expect(await stateOf(id)).to.include({ status: 'awaiting_approval', destination: null })
    const [row] = await stage.sql`select signer, signature from refund_claims where refund_id = ${id}`
    expect(row).to.deep.equal(signed)
  })

  for (const [what, change] of [
    ['another charge', { chargeId: 'ch_other' }],
    ['another chain', { chainId: 1 }],
    ['another address', { destination: STRANGER }],
    ['another amount', { amountAtomic: 2_000_000n as never }],
    ['another token', { token: 'USDT' }],
    ['another link', { claimHash: 'f'.repeat(64) }],
    ['another time', { expiresAt: new Date(0) }],
    ['another site', { host: 'pay.example.org' }],
  ] as const)
    it(`cannot prove the claim with a signature for ${what}`, async () => {
      const id = await declareClaim()
      await expectUnproven(id, await sign(id, change))
    })

  it('cannot prove the claim with the key of an account that did not pay, or by naming an account that did not sign', async () => {
    const id = await declareClaim()
    const { signature } = await sign(id, {}, ACCOUNTS.payer)
    await expectUnproven(id, { signer: addressOf(ACCOUNTS.payer.address.toLowerCase()), signature })
    await expectUnproven(id, { ...(await sign(id)), signature })
  })

  it('cannot prove the claim with the key of an account that sent less than the refund, or sent it after the declaration', async () => {
    const other = addressOf(ACCOUNTS.payer.address.toLowerCase())
    await payInto(charge, other, 999_999n)
    const id = await declareClaim()
    await expectUnproven(id, await sign(id, {}, ACCOUNTS.payer))
    await payInto(charge, other, 5_000_000n)
    await expectUnproven(id, await sign(id, {}, ACCOUNTS.payer))
    link = newLink()
    const later = await declareClaim({ amount: '2' })
    expect(await claim(later, { signed: await sign(later, {}, ACCOUNTS.payer) })).to.include({
      outcome: 'done',
    })
  })

  it('is paid only at an account that sent the amount, if the operator requires it', async () => {
    const options = { onlyToPayers: true } as const
    const strict = createRefundDaemon(stage, [stage.rpcUrl, second.url], options)
    const id = await declareClaim()
    const content = { action: 'claim', refundId: id, claimHash: link, signed: null } as const
    const refused = { outcome: 'refused', code: 'destination_not_allowed' }
    expect(await strict.request(charge.chargeId, { ...content, destination: STRANGER })).to.include(refused)
    const sender = addressOf(SENDER.address.toLowerCase())
    expect(await strict.request(charge.chargeId, { ...content, destination: sender })).to.include({
      outcome: 'done',
    })
    const declaring = declare(strict, charge, { amount: '2', destination: STRANGER })
    expect(await declaring.then(String, String)).to.contain('destination_not_allowed')
    await declare(strict, charge, { amount: '2', destination: sender })
  })

  it('cannot prove the claim with an unverified signature that is sent with a repeated address', async () => {
    const id = await declareClaim()
    await claim(id)
    const signed = { signer: STRANGER, signature: `0x${'12'.repeat(65)}` } as const
    const racing = createRefundDaemon(stage, [stage.rpcUrl], { sql: beforeSecond(() => reject(id)) })
    const content = { action: 'claim', claimHash: link, destination: PAYER, signed } as const
    expect(await racing.request(charge.chargeId, { ...content, refundId: id })).to.include({ isReplay: true })
    const rows =
      await stage.sql`select signer from refund_claims where refund_id = ${id} and signer is not null`
    expect([...rows]).to.deep.equal([])
  })

  it('cannot prove the claim with the high-s form of a valid ECDSA signature', async () => {
    const id = await declareClaim()
    const { signer, signature } = await sign(id)
    const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
    const s = (order - BigInt(`0x${signature.slice(66, 130)}`)).toString(16).padStart(64, '0')
    const v = signature.endsWith('1b') ? '1c' : '1b'
    await expectUnproven(id, { signer, signature: `${signature.slice(0, 66)}${s}${v}` as Hex })
  })

  it('cannot prove the claim with the key of a contract account, unless the account only delegates (EIP-7702)', async () => {
    const id = await declareClaim()
    const signed = await sign(id)
    const address = addressOf(SENDER.address.toLowerCase())
    await stage.node.setCode({ address, bytecode: '0x60006000fd' })
    await stage.mine()
    await expectUnproven(id, signed)
    await stage.node.setCode({ address, bytecode: `0xef0100${STRANGER.slice(2)}` })
    await stage.mine()
    expect(await claim(id, { signed })).to.include({ outcome: 'done' })
    await stage.node.setCode({ address, bytecode: '0x' })
  })

  describe('with a contract', () => {
    let wallet: Address

    beforeEach(async () => {
      wallet = await deployWallet()
      charge = await payFrom(wallet)
    })

    it('can sign the address with a signature that the contract accepts', async () => {
      const id = await declareClaim()
      const { signature } = await sign(id)
      expect(await claim(id, { signed: { signer: wallet, signature } })).to.include({ outcome: 'done' })
    })

    it('cannot prove the claim if the contract halts or uses all gas, which is not taken for a node failure', async () => {
      const id = await declareClaim()
      const { signature } = await sign(id)
      for (const bytecode of ['0xfe', '0x5b600056', '0x01'] as const) {
        await stage.node.setCode({ address: wallet, bytecode })
        await stage.mine()
        await expectUnproven(id, { signer: wallet, signature })
      }
    })

    it('cannot prove the claim if the contract rejects the signature, or if only one of two nodes shows the acceptance', async () => {
      const id = await declareClaim()
      const { signature } = await sign(id, { destination: STRANGER })
      await expectUnproven(id, { signer: wallet, signature })
      const accepted = `0x1626ba7e${'00'.repeat(28)}`
      second.rule((method) => (method === 'eth_call' ? { result: accepted } : 'pass'))
      const response = await claim(id, { signed: { signer: wallet, signature } })
      expect(response).to.include({ code: 'rpc_unavailable' })
      expect(await stateOf(id)).to.include({ status: 'awaiting_destination' })
    })
  })

  it('gets a destination in the database only with an approval, and cannot change it afterwards', async () => {
    const id = await declareClaim()
    await claim(id)
    const write = (address: string) => stage.daemonSql`
      update refunds set status = 'awaiting_payment', destination = ${address}, after_block = 1, scanned_block = 1
      where id = ${id}`
    const second = stage.daemonSql`
      insert into refund_claims (refund_id, number, destination, claimed_at) values (${id}, 2, ${STRANGER}, now())`
    await expectRejected(second, '23505')
    await expectRejected(write(PAYER))
    await approve(id)
    await expectRejected(write(STRANGER))
    await expectRejected(
      stage.daemonSql`update refund_claims set decision = 'rejected' where refund_id = ${id}`,
    )
  })

  async function expectUnproven(id: string, signed: RefundClaimRequest['signed']): Promise<void> {
    expect(await claim(id, { signed })).to.include({ code: 'validation_error', param: 'signature' })
    expect(await claimedOf(id)).to.deep.equal([])
  }

  /** @param code - PostgreSQL's error code; by default, a violated check */
  async function expectRejected(query: PromiseLike<unknown>, code = '23514'): Promise<void> {
    const outcome = await Promise.resolve(query).then(
      () => 'accepted',
      (error: { code: string }) => error.code,
    )
    expect(outcome).to.equal(code)
  }

  function declareClaim(change: object = {}): Promise<string> {
    return declare(daemon, charge, { destination: null, claimHash: link, ...change })
  }

  function declareRefused() {
    const content = { amount: '1', token: null, network: null, from: null, claimHash: null } as const
    const rest = { destination: PAYER, reason: 'other', idempotencyKey: 'refused' } as const
    return daemon.request(charge.chargeId, { action: 'declare', ...content, ...rest })
  }

  function claim(refundId: string, change: Partial<RefundClaimRequest> = {}) {
    const content = { action: 'claim', claimHash: link, destination: PAYER, signed: null } as const
    return daemon.request(charge.chargeId, { ...content, refundId, ...change })
  }

  function approve(refundId: string, address: Address = PAYER) {
    return daemon.request(charge.chargeId, { action: 'approve', refundId, address })
  }

  function decide(refundId: string, action: 'reject' | 'renew_link') {
    const payload: RefundPayload = { action, refundId, claimHash: link }
    return daemon.request(charge.chargeId, payload)
  }

  async function sign(id: string, change: Partial<ClaimTerms> = {}, signer = SENDER) {
    const [row] = await stage.sql<{ network: 'base'; token: 'USDC'; amountAtomic: never; expiresAt: Date }[]>`
      select network, token, amount_atomic, expires_at from refunds where id = ${id}`
    if (row === undefined) throw new Error(`refund ${id} does not exist`)
    const terms = {
      ...{ ...row, chargeId: charge.chargeId, family: 'evm', chainId: foundry.id, destination: PAYER },
      ...{ host: new URL(CHECKOUT).host, claimHash: link },
      ...change,
    } as ClaimTerms
    const signature = await toSigner(signer).signTypedData(presentClaimData(terms) as never)
    return { signer: addressOf(signer.address.toLowerCase()), signature }
  }

  /** Wraps the daemon's connection so that `work` runs before the second transaction. */
  function beforeSecond(work: () => Promise<unknown>): Sql {
    let begun = 0
    const begin = async (...args: Parameters<Sql['begin']>) => {
      begun += 1
      if (begun === 2) await work()
      return stage.daemonSql.begin(...args)
    }
    return new Proxy(stage.daemonSql, {
      get: (sql, name) => (name === 'begin' ? begin : Reflect.get(sql, name)),
    })
  }

  /** Rejects the address of a claim. */
  async function reject(id: string): Promise<void> {
    await stage.sql`update refund_claims set decision = 'rejected', decided_at = now() where refund_id = ${id}`
    await stage.sql`update refunds set status = 'awaiting_destination' where id = ${id}`
  }

  /** Opens a charge, pays it from this account, and gives its merchant money to refund. */
  async function payFrom(account: Address): Promise<PaidCharge> {
    const opened = await stage.openCharge()
    await payInto(opened, account, 12_000_000n)
    await fund(stage, opened)
    return opened
  }

  async function payInto(opened: PaidCharge, account: Address, amount: bigint): Promise<void> {
    await stage.callToken('mint', [account, amount])
    await send(stage, { from: account, to: addressOf(opened.splitAddress), amount })
    await stage.mine()
    await stage.settle()
    // Refunds are declared at the time of the database, from which the clock of the stage differs.
    await stage.sql`
      update transfers set credited_at = now()
      where charge_id = ${opened.chargeId} and sender = ${account} and value_atomic = ${stage.sql.types.numeric(amount)}`
  }

  async function deployWallet(): Promise<Address> {
    const hash = await stage.wallet.deployContract({
      ...{ abi: walletArtifact.abi as Abi, bytecode: walletArtifact.bytecode as Hex },
      ...{ account: toSigner(SENDER), chain: foundry },
      args: [SENDER.address],
    })
    await stage.mine()
    const { contractAddress } = await stage.node.getTransactionReceipt({ hash })
    return addressOf(String(contractAddress).toLowerCase())
  }

  async function pay(): Promise<Hex> {
    const hash = await send(stage, { from: merchantOf(charge), to: PAYER })
    await stage.mine()
    return hash
  }

  async function expectUnpaid(id: string): Promise<void> {
    await mineDeep(stage)
    await daemon.watch()
    expect(await stateOf(id)).to.include({ status: 'awaiting_payment', txHash: null })
  }

  async function stateOf(id: string) {
    const [row] = await stage.sql<{ status: string; destination: string | null; txHash: string | null }[]>`
      select status, destination, tx_hash from refunds where id = ${id}`
    if (row === undefined) throw new Error(`refund ${id} does not exist`)
    return row
  }

  async function claimedOf(id: string) {
    const rows = await stage.sql<{ destination: string; decision: string | null }[]>`
      select destination, decision from refund_claims where refund_id = ${id} order by number`
    return [...rows]
  }

  async function listEvents(): Promise<readonly string[]> {
    const rows = await stage.sql<{ type: string }[]>`
      select type from events where charge_id = ${charge.chargeId} and type like 'charge.refund%'
        and type <> 'charge.refund_declared' order by number`
    return rows.map(({ type }) => type)
  }

  function newLink(): string {
    return hashClaimSecret(createClaimSecret()) ?? ''
  }
})
