import { connect } from '../../shared/db/connect.ts'
import { deriveAccount } from './accounts.ts'
import type { StartedExtra } from './extra.ts'
import { waitFor } from './wait-for.ts'
import type { DevnetDescription } from './write-description.ts'

/** The last of anvil's accounts with native coins. It has no other role. */
const AUTHORIZATION_RELAYER = deriveAccount(9)

/** Timeout for the first pair. The daemon publishes a pair when the feed runs and the token has been checked. */
const OFFERED_TIMEOUT_MS = 90_000

/** Enables payment by signature on `base`, whose USDC supports EIP-3009, and x402 at `{checkoutUrl}/x402`. */
export function enablePayBySignature(): Promise<StartedExtra> {
  return Promise.resolve({
    settings: {
      api: { X402: 'on' },
      indexer: {
        PAY_BY_SIGNATURE_NETWORKS: 'base',
        PAY_BY_SIGNATURE_PRIVATE_KEY: AUTHORIZATION_RELAYER.privateKey,
      },
    },
    description: {},
    untilReady: untilSignable,
    stop: () => Promise.resolve(),
  })
}

/** Waits until a pair can be paid by signature. */
async function untilSignable({ databaseUrl }: DevnetDescription): Promise<void> {
  const sql = connect({ url: databaseUrl, applicationName: 'devnet', maxConnections: 1 })
  try {
    await waitFor(async () => (await sql`select from signable_pairs`).length > 0, {
      ...{ what: 'a pair that can be paid by signature', timeoutMs: OFFERED_TIMEOUT_MS },
    })
  } finally {
    await sql.end()
  }
}
