import type { ChainFamilyName } from './address.ts'

/** Requests per block of a chain without payments. */
type BlockRequests = {
  /**
   * Log queries of the feed: two if the block's bloom may contain transfers and split events, one if blooms cannot be
   * used.
   */
  readonly logs: number
  /** Requests of reconciliation, which reads TRON's second API block by block. */
  readonly scans: number
}

/** Requests per block of each chain family. */
export const REQUESTS_BY_FAMILY: Readonly<Record<ChainFamilyName, BlockRequests>> = {
  evm: { logs: 2, scans: 0 },
  tron: { logs: 1, scans: 1 },
}
