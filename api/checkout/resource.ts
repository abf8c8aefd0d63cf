import type { Context } from 'koa'
import type { StaleAfter } from '../../shared/db/chain-facts/stale.ts'
import type { Sql } from '../../shared/db/connect.ts'
import type { Logger } from '../../shared/runtime/logger.ts'
import type { QuoteDeps } from '../charges/quote/quote-charge.ts'
import type { FindChain } from '../http/chain-clients.ts'
import type { RateLimiter } from '../http/middleware/rate-limit.ts'
import type { StreamHub } from '../streams/hub.ts'
import type { ReadEscrow } from './escrow/read-escrow-briefly.ts'
import type { PageName } from './page-script.ts'
import type { CheckoutReading } from './read-checkout.ts'

/** A charge as read for one request. */
export type ReadAt = CheckoutReading & { readonly now: Date }

/** Dependencies of the resources below a charge's page. */
export type ResourceDeps = {
  readonly sql: Sql
  readonly log: Logger
  readonly hub: StreamHub
  readonly config: {
    readonly checkoutBaseUrl: string | null
    readonly checkoutFrameOrigins: readonly string[]
    readonly checkoutHasWalletLinks: boolean
    readonly hasX402: boolean
    readonly staleAfter: StaleAfter
  }
  readonly limiter: RateLimiter
  readonly chainOf: FindChain
  readonly readEscrow: ReadEscrow
  readonly swap: QuoteDeps['swap']
  readonly reread: () => Promise<ReadAt>
}

/** A resource of a charge that any client with the charge's id may request. */
export type Resource = {
  /** Path below the charge's page; empty for the page itself. */
  readonly path: string
  readonly methods: readonly string[]
  /** The page that `GET` requests receive, also as an error page. */
  readonly page?: PageName
  /** Whether a form posts to the page, so that `POST` requests also receive a page instead of JSON. */
  readonly isForm?: boolean
  /**
   * Whether no site may show the responses in a frame, not even the sites that may frame the charge's page. A site that
   * frames a page can trick its visitors into clicking on the page.
   */
  readonly isNeverFramed?: boolean
  /**
   * Whether responses are compressed. The BREACH attack does not apply: the secrets in a response are also in its URL,
   * so only clients that already have the secrets can request the response.
   */
  readonly isCompressed?: boolean
  /** Headers of every response, including errors, in addition to the common headers. */
  readonly headers?: Readonly<Record<string, string>>
  readonly answer: (ctx: Context, at: ReadAt, deps: ResourceDeps) => Promise<void> | void
}
