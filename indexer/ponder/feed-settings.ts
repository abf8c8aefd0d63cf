import type { Address, ChainFamilyName } from '../../shared/domain/address.ts'
import { invariant } from '../../shared/domain/errors.ts'

/** Settings that the daemon passes to the Ponder process of one deployment, as JSON in PONDER_FEED. */
export type FeedSettings = {
  readonly chainId: number
  readonly family: ChainFamilyName
  readonly rpcUrls: readonly string[]
  /** Contracts that emit the Transfer events of our tokens. */
  readonly emitters: readonly Address[]
  readonly startBlock: number
  readonly pollingIntervalMs: number
  readonly databaseUrl: string
  /** URLs of the nodes with a request limit, if any. The daemon paces the requests to these nodes. */
  readonly limitedUrls?: readonly string[]
}

export function readFeedSettings(environment: Readonly<Record<string, string | undefined>>): FeedSettings {
  const text = environment['PONDER_FEED']
  invariant(
    text !== undefined,
    'PONDER_FEED is not set: only the indexer may start this process, see indexer/chain-feed',
  )
  return JSON.parse(text) as FeedSettings
}
