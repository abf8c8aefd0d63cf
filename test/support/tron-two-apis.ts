import type { Hex } from 'viem'

import type { WatchedDeployment } from '../../indexer/chain-feed/observe.ts'
import { createChainSources } from '../../indexer/corroboration/chain-sources.ts'
import { createCorroboration } from '../../indexer/corroboration/corroborate-rows.ts'
import type { Address } from '../../shared/domain/address.ts'
import { TRON_CHAIN_ID, TRON_USDT } from '../devnet/tron/addresses.ts'
import { chainAt } from './chain-at.ts'
import { recordingLog } from './recording-log.ts'
import type { TronCharge, TronPayoutFixture } from './tron-payout-fixture.ts'

const USDT = TRON_USDT as Address
const TOKEN = { token: 'USDT', address: USDT, decimals: 6, emitter: USDT, emitterDecimals: 6 } as const

/** The local TRON's deployment, as configured in the daemon. */
export const WATCHED_TRON: WatchedDeployment = {
  ...({ chainId: TRON_CHAIN_ID, network: 'tron', environment: 'live' } as const),
  tokens: [TOKEN],
}

/** The columns of `transfers` that these tests read. */
type TransferRow = { readonly source: string; readonly valueAtomic: bigint }

/** Creates the nodes of the local TRON at these URLs, each with its own operator, and the readers that use them. */
export function tronChainAt(urls: readonly string[]) {
  const chain = chainAt(
    urls.map((url) => `${url}/jsonrpc`),
    { chainId: TRON_CHAIN_ID },
  )
  return { chain, sources: createChainSources(chain, 'tron') }
}

/** Creates a daemon's corroboration of the feed's rows by these nodes, with its log lines. */
export function createCorroborationTurn(stage: TronPayoutFixture, urls: readonly string[] = [stage.url]) {
  const { log, lines } = recordingLog()
  const { turn } = createCorroboration({
    ...{ sql: stage.daemonSql, log, now: () => stage.time.now, onNews: () => undefined },
    metrics: { countFound: () => undefined, noteVerdict: () => undefined },
    deployment: { ...WATCHED_TRON, confirmations: 19, blockTimeMs: 3_000 },
    ...tronChainAt(urls),
  })
  return { turn, lines }
}

/** Lists a charge's rows of `transfers`. */
export async function transfersOf(
  stage: TronPayoutFixture,
  { chargeId }: TronCharge,
): Promise<readonly TransferRow[]> {
  const rows = await stage.sql<TransferRow[]>`
    select source, value_atomic from transfers where charge_id = ${chargeId} order by id`
  return rows.map((row) => ({ ...row }))
}

/** Inserts the chain's transfers as if only the feed had reported them. */
export async function waitForFeed(stage: TronPayoutFixture): Promise<void> {
  await stage.reconcile()
  await stage.sql`
    update transfers set source = 'tron_watcher', corroborated_block_hash = null, agreed_at = null, agreed_by = null
    where credited_at is null`
  await setFeedHead(stage)
}

/** Inserts copies of a real charge's transfers for `charge`, with the hash of a transaction that was never sent. */
export async function inventPayment(
  stage: TronPayoutFixture,
  { charge, real, txHash }: { readonly charge: TronCharge; readonly real: TronCharge; readonly txHash: Hex },
): Promise<void> {
  await stage.sql`
    insert into transfers (charge_id, network, token, source, chain_id, token_address, tx_hash, ordinal, sender,
      value_atomic, amount_atto, accepted, block_number, block_hash, block_timestamp, log_index, inclusion)
    select ${charge.chargeId}, network, token, 'tron_watcher', chain_id, token_address, ${txHash}, ordinal, sender,
      value_atomic, amount_atto, accepted, block_number, block_hash, block_timestamp, log_index, inclusion
    from transfers where charge_id = ${real.chargeId}`
  await setFeedHead(stage)
}

/** Sets the feed's head to the chain's head, as if the feed had read every block. */
export async function setFeedHead(stage: TronPayoutFixture): Promise<void> {
  const { number, timestamp } = stage.chain.head()
  await stage.sql`update deployments set head_number = ${number}, head_timestamp = ${timestamp}`
}
