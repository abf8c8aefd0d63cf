import { encodeFunctionData, erc20Abi, type Hex } from 'viem'
import { runChargeTurns } from '../../indexer/charges/charge-actor.ts'
import { createTurnFailureTracker } from '../../indexer/charges/turn-failure-tracker.ts'
import { recordAgreed } from '../../indexer/corroboration/record-agreed.ts'
import type { ReadAgreedBalances } from '../../indexer/escrow/agreed-balances.ts'
import { createEndChecking } from '../../indexer/escrow/check-escrow-ends.ts'
import { readObservedBalances } from '../../indexer/reconciliation/compare-balances.ts'
import { createChainClient } from '../../shared/chain/nodes/client.ts'
import { type PositionedReceipt, readCanonicalReceipt } from '../../shared/chain/nodes/receipts.ts'
import type { Address } from '../../shared/domain/address.ts'
import type { Split } from '../../shared/domain/allocation.ts'
import { encodeDistribution } from '../../shared/domain/distribution-call.ts'
import { atto } from '../../shared/domain/money.ts'
import { chargeSalt, SPLIT_FACTORY } from '../../shared/domain/split-address.ts'
import { ACCOUNTS } from '../devnet/accounts.ts'
import { agreedEffects } from './agreed.ts'
import type { EscrowFixture, PaidEscrowCharge } from './escrow-fixture.ts'
import { recordingLog } from './recording-log.ts'

export type EscrowMoves = ReturnType<typeof escrowMoves>

/** States of a charge's escrow, as `stateOf` returns them. */
export const HELD = { settlement: null, isReleased: false, isRefunded: false }
export const REFUNDED = { settlement: null, isReleased: false, isRefunded: true }
export const RELEASED = { settlement: 'pending', isReleased: true, isRefunded: false }

/** An address without code, so its balances cannot be read. A charge accepts this token only if a test updates it. */
const UNREADABLE_TOKEN = `0x${'7d'.repeat(20)}` as Address

/** Creates functions that move escrowed tokens on a fixture's chain, and that record these moves as the daemon does. */
export function escrowMoves(stage: EscrowFixture) {
  const client = createChainClient({ chainId: stage.chainId, rpcUrls: [stage.rpcUrl] })
  const { log, lines } = recordingLog()
  const token = { address: stage.token, emitter: stage.token, decimals: 6, emitterDecimals: 6 }
  const deployment = {
    ...({ chainId: stage.chainId, network: 'base', environment: 'live' } as const),
    tokens: [
      { ...token, token: 'USDC' as const },
      { ...token, token: 'USDT' as const, address: UNREADABLE_TOKEN, emitter: UNREADABLE_TOKEN },
    ],
  }

  /** Pays 10 dollars into a new escrow, and inserts its ledger. */
  async function payEscrow(): Promise<PaidEscrowCharge> {
    const charge = await stage.payEscrow()
    await stage.sql`
      insert into charge_ledgers (charge_id, network, token, chain_id, token_address, credited_atomic,
        settlement_atomic, released_atomic)
      values (${charge.id}, 'base', 'USDC', ${stage.chainId}, ${stage.token}, 10000000, 10000000, 0)`
    return charge
  }

  /** Transfers tokens out of the Safe, as a releaser can. anvil impersonates the Safe, so no signature is needed. */
  async function move({ safe }: PaidEscrowCharge, to: Address, amount: bigint): Promise<Hex> {
    await stage.node.impersonateAccount({ address: safe })
    await stage.node.setBalance({ address: safe, value: 10n ** 18n })
    const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to, amount] })
    return send({ from: safe, to: stage.token, data })
  }

  async function distribute({ id }: PaidEscrowCharge, distributor: Address): Promise<Hex> {
    const [row] = await stage.sql<{ split: Split }[]>`
      select split_terms as split from charges where id = ${id}`
    if (row === undefined) throw new Error('the charge does not exist')
    const data = encodeDistribution({
      ...{ split: row.split, salt: chargeSalt(id), token: stage.token, distributor },
    })
    return send({ from: ACCOUNTS.payer.address as Address, to: SPLIT_FACTORY, data })
  }

  async function send(transaction: { from: Address; to: Address; data: Hex }): Promise<Hex> {
    const params = [{ ...transaction, gas: '0xf4240' }]
    const hash = await stage.node.request({ method: 'eth_sendTransaction', params } as never)
    await stage.mine()
    return hash
  }

  async function receiptsOf(hashes: readonly Hex[]): Promise<readonly PositionedReceipt[]> {
    const receipts = await Promise.all(hashes.map((hash) => readCanonicalReceipt(client, hash)))
    return receipts.flatMap((receipt) => receipt ?? [])
  }

  /** Records these receipts as agreed by a quorum, and runs the charges' turns. */
  async function hear(receipts: readonly PositionedReceipt[]): Promise<void> {
    await recordAgreed({ sql: stage.daemonSql, log }, deployment, receipts.map(agreedEffects))
    await takeTurns()
  }

  /** Calls `hear` with the receipts of these transactions, then `checkEnds`. */
  async function takeUp(hashes: readonly Hex[]): Promise<void> {
    await hear(await receiptsOf(hashes))
    await checkEnds()
  }

  /** Checks the Safes of ended escrows, by default against the chain's newest block, and runs the charges' turns. */
  async function checkEnds(readAgreedBalances: ReadAgreedBalances = readHead): Promise<void> {
    await stage.sql`update escrow_end_checks set next_at = now()`
    const deps = { sql: stage.daemonSql, deployment, readAgreedBalances, log, onNews: () => undefined }
    await createEndChecking(deps).turn()
    await takeTurns()
  }

  async function readHead(balances: Parameters<ReadAgreedBalances>[0]) {
    const block = Number(await client.getBlockNumber({ cacheTime: 0 }))
    return { block, found: await readObservedBalances({ client }, { balances, block }) }
  }

  async function takeTurns(): Promise<void> {
    const deps = {
      ...{ sql: stage.daemonSql, now: () => new Date(), log, graceSeconds: 300 },
      ...{ expiry: { silentSeconds: 900 }, checkoutBaseUrl: null, swapProvider: null },
      ...{ failedTurns: createTurnFailureTracker(), onEvents: () => undefined },
      minimumPayoutOf: () => atto(10n ** 18n),
    }
    for (let outcome = 'more'; outcome === 'more'; ) outcome = await runChargeTurns(deps)
  }

  const stateOf = async ({ id }: PaidEscrowCharge) =>
    (
      await stage.sql`
        select settlement_status as settlement, escrow_released_at is not null as is_released,
          escrow_refunded_at is not null as is_refunded
        from charges where id = ${id}`
    )[0]

  const eventsOf = async ({ id }: PaidEscrowCharge) =>
    (
      await stage.sql<{ type: string }[]>`
        select type from events where charge_id = ${id} and category = 'payments' order by number`
    ).map(({ type }) => type)

  return {
    ...{ payEscrow, move, distribute, receiptsOf, hear, takeUp, checkEnds, readHead, takeTurns },
    ...{ stateOf, eventsOf, lines },
  }
}
