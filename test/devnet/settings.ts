import { generateKeyPairSync, randomBytes } from 'node:crypto'

import { ACCOUNTS } from './accounts.ts'
import type { DatabaseUrls } from './database.ts'
import { toTronAddress } from './tron/accounts.ts'

/** Environment variables, by name. */
export type Settings = Readonly<Record<string, string>>

/** Value of every rate limit, so high that no test reaches it. */
const RATE_LIMIT_PER_MINUTE = '100000'

export type ProcessSettings = { readonly api: Settings; readonly indexer: Settings }

/**
 * Returns the configuration of both processes except their ports. Takes only `PATH`, `HOME` and `TMPDIR` from the
 * environment of this process.
 *
 * @param options.networks - `NETWORKS_CONFIG` and `DEPLOYMENTS`
 */
export function processSettings(options: {
  readonly urls: DatabaseUrls
  readonly networks: Settings
  readonly graceSeconds: number
}): ProcessSettings {
  const seal = createSealKeys()
  const common = {
    ...callersPlace(),
    ...options.networks,
    TREASURY_ADDRESS: ACCOUNTS.treasury.address,
    TREASURY_ADDRESS_TRON: toTronAddress(ACCOUNTS.treasury),
    // Webhook receivers run on this machine without TLS.
    WEBHOOK_ALLOWED_TARGETS: '127.0.0.0/8+http,::1/128+http',
  }
  const api = {
    ...common,
    API_DATABASE_URL: options.urls.api,
    CURSOR_SECRET: randomBytes(32).toString('hex'),
    WEBHOOK_SEAL_PUBLIC_KEY: seal.publicKey,
    RATE_LIMIT_PER_MINUTE,
    RATE_LIMIT_TRANSFERABILITY_PER_MINUTE: RATE_LIMIT_PER_MINUTE,
    RATE_LIMIT_METRICS_PER_MINUTE: RATE_LIMIT_PER_MINUTE,
    RATE_LIMIT_CHECKS_PER_MINUTE: RATE_LIMIT_PER_MINUTE,
    RATE_LIMIT_CHECKOUT_PER_MINUTE: RATE_LIMIT_PER_MINUTE,
    // Tests open all checkout pages from this machine's address.
    CHECKOUT_STREAMS_PER_ADDRESS: RATE_LIMIT_PER_MINUTE,
  }
  const indexer = {
    ...common,
    INDEXER_DATABASE_URL: options.urls.daemon,
    PONDER_DATABASE_URL: options.urls.ponder,
    RELAYER_PRIVATE_KEY: ACCOUNTS.relayer.privateKey,
    WEBHOOK_SEAL_PRIVATE_KEY: seal.privateKey,
    PAYOUT_GRACE_SECONDS: String(options.graceSeconds),
  }
  return { api, indexer }
}

function callersPlace(): Settings {
  const names = ['PATH', 'HOME', 'TMPDIR'] as const
  return Object.fromEntries(
    names.flatMap((name) => [[name, process.env[name] ?? '']]).filter(([, value]) => value),
  )
}

/** Returns an X25519 key pair. Each key is its 32 raw bytes in base64. */
function createSealKeys(): { publicKey: string; privateKey: string } {
  const { publicKey, privateKey } = generateKeyPairSync('x25519')
  // Both DER encodings end with the raw key (RFC 8410, sections 4 and 7).
  return {
    publicKey: rawKey(publicKey.export({ format: 'der', type: 'spki' })),
    privateKey: rawKey(privateKey.export({ format: 'der', type: 'pkcs8' })),
  }
}

function rawKey(der: Buffer): string {
  return der.subarray(-32).toString('base64')
}
