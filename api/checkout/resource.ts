import type { Context } from 'koa'
import type { Sql } from '../../shared/db/connect.ts'
import type { Logger } from '../../shared/runtime/logger.ts'
import type { RateLimiter } from '../middleware/rate-limit.ts'
import type { StreamHub } from '../streams/hub.ts'
import type { Swap } from '../swap/create-swap.ts'
import type { CheckoutReading } from './read-checkout.ts'

/** A charge as it was read for one request. */
export type ReadAt = CheckoutReading & { readonly now: Date }

/** What the answers below a charge's page need. */
export type ResourceDeps = {
  readonly sql: Sql
  readonly log: Logger
  readonly hub: StreamHub
  readonly config: {
    readonly checkoutBaseUrl: string | null
    readonly checkoutFrameOrigins: readonly string[]
    readonly hasX402: boolean
  }
  readonly limiter: RateLimiter
  /** `null` without a swap provider. */
  readonly swap: Swap | null
  /** Reads the charge again. */
  readonly reread: () => Promise<ReadAt>
}

/** One thing that can be asked of a charge by whoever has its id. */
export type Resource = {
  /** Below the charge's page; empty for the page. */
  readonly path: string
  readonly methods: readonly string[]
  /** Its answers are HTML, also where they are failures. */
  readonly isPage: boolean
  /** Of all its answers, failures included, beside those that all have. */
  readonly headers?: Readonly<Record<string, string>>
  readonly answer: (ctx: Context, at: ReadAt, deps: ResourceDeps) => Promise<void> | void
}
