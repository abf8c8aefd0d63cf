import { type Hex, pad, toHex } from 'viem'
import { decodeReceipt } from '../../indexer/chain-feed/decode-receipt.ts'
import { observeSplitEvents, observeTransfers } from '../../indexer/chain-feed/observe.ts'
import { recordChainRows } from '../../shared/db/chain-facts/daemon/observed-rows.ts'
import { SPLIT_TOPICS, TRANSFER_TOPIC } from '../../shared/domain/log-topics.ts'
import { ACCOUNTS } from '../devnet/accounts.ts'
import { addressOf, type PaidCharge, type Stage, watchedDeployment } from './payout-fixture.ts'
import type { RpcProxy } from './rpc-proxy.ts'

type Log = { readonly address: Hex; readonly topics: readonly Hex[]; readonly data: Hex }

/** Returns a forged log of a payment from the keeper to a charge. */
export function inventedTransfer({ token }: Stage, { splitAddress }: PaidCharge, amount: bigint): Log {
  const topics = [TRANSFER_TOPIC, pad(ACCOUNTS.keeper.address, { size: 32 }), pad(splitAddress, { size: 32 })]
  return { address: token, topics, data: toHex(amount, { size: 32 }) }
}

/** Returns a forged log of a distribution of a charge's split by the keeper. */
export function inventedDistribution({ token }: Stage, { splitAddress }: PaidCharge, amount: bigint): Log {
  const [distributed = '0x'] = SPLIT_TOPICS
  const topics = [distributed, pad(token, { size: 32 }), pad(ACCOUNTS.keeper.address, { size: 32 })]
  return { address: splitAddress, topics, data: toHex(amount, { size: 32 }) }
}

/**
 * Makes a node report forged logs in the receipt of the last block's first transaction. The feed reports the same logs,
 * and this node is the only voter, so the forged logs are accepted.
 *
 * @returns the hash of the transaction
 */
export async function letLieCount(
  stage: Stage,
  proxy: RpcProxy,
  { charge, logs, keepsTruth = false }: Lie,
): Promise<Hex> {
  const { hash, number, timestamp, transactions } = await stage.node.getBlock()
  const [txHash = '0x'] = transactions
  const receipt = await rawReceipt(stage, txHash)
  const [first] = receipt.logs
  const lies = logs.map((log) => ({ ...first, ...log }))
  const shown = (keepsTruth ? [...receipt.logs, ...lies] : lies).map((log, at) => ({
    ...log,
    logIndex: toHex(at),
  }))
  proxy.rule((method, [asked]) =>
    method === 'eth_getTransactionReceipt' && asked === txHash
      ? { result: { ...receipt, logs: shown } }
      : 'pass',
  )
  await stage.mine(3)
  const place = { txHash, blockHash: hash, blockNumber: Number(number), blockTimestamp: Number(timestamp) }
  const rows = decodeReceipt({
    ...place,
    logs: shown.map((log, logIndex) => ({ ...log, topics: [...log.topics] as [Hex, ...Hex[]], logIndex })),
  })
  await feed(stage, charge, rows)
  await stage.moveFeed()
  await stage.corroboration([proxy.url]).turn()
  await stage.takeTurns()
  return txHash
}

type Lie = {
  readonly charge: PaidCharge
  readonly logs: readonly Log[]
  /** Whether the receipt shows the real logs before the forged logs. By default the forged logs replace them. */
  readonly keepsTruth?: boolean
}

async function rawReceipt(stage: Stage, txHash: Hex) {
  const method = 'eth_getTransactionReceipt'
  const receipt: unknown = await stage.node.request({ method, params: [txHash] } as never)
  if (receipt === null) throw new Error(`transaction ${txHash} has no receipt`)
  return receipt as { readonly logs: readonly Log[] }
}

async function feed(
  stage: Stage,
  { chargeId: id, splitAddress }: PaidCharge,
  { transfers, splitEvents }: ReturnType<typeof decodeReceipt>,
): Promise<void> {
  const terms = { environment: 'live', acceptedPayments: ['USDC/base'] } as const
  const charges = [{ id, address: addressOf(splitAddress), splitAddress, ...terms }]
  const deployment = watchedDeployment(stage)
  const paid = observeTransfers(transfers, deployment, charges)
  const distributed = observeSplitEvents(splitEvents, deployment, charges)
  if (paid.length > 0)
    await recordChainRows(stage.daemonSql, 'transfers', { rows: paid, ponderSchema: 'ponder_1' })
  if (distributed.length > 0)
    await recordChainRows(stage.daemonSql, 'split_events', { rows: distributed, ponderSchema: 'ponder_1' })
}
