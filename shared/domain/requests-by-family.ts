import type { ChainFamilyName } from './address.ts'

type BlockRequests = {
  /** Maximum log queries of the feed: one each for transfers and split events, or one for all logs without a bloom. */
  readonly logs: number
  /** Requests of reconciliation, which reads TRON's second API block by block. */
  readonly scans: number
}

/** Requests per block of a chain without payments. */
export const REQUESTS_BY_FAMILY: Readonly<Record<ChainFamilyName, BlockRequests>> = {
  evm: { logs: 2, scans: 0 },
  tron: { logs: 1, scans: 1 },
}
