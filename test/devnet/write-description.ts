import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import type { ACCOUNTS } from './accounts.ts'
import type { DevnetNetworks } from './networks.ts'
import type { DevnetKeys } from './organization.ts'
import type { TronAccounts } from './tron/accounts.ts'

/** What others need to know of a running devnet: the content of `devnet.json`. */
export type DevnetDescription = {
  readonly apiUrl: string
  readonly internalUrls: { readonly api: string; readonly indexer: string }
  readonly databaseUrl: string
  readonly keys: DevnetKeys
  readonly networks: DevnetNetworks
  /** Those of TRON where it is. */
  readonly accounts: typeof ACCOUNTS & Partial<TronAccounts>
  /** With `--everything`. */
  readonly swap?: { readonly providerUrl: string }
}

/** Writes `devnet.json`, readable by its owner alone. Whoever waits for the file never meets a part of it. */
export async function writeDescription(directory: string, description: DevnetDescription): Promise<void> {
  const path = join(directory, 'devnet.json')
  const part = `${path}.part`
  await writeFile(part, `${JSON.stringify(description, null, 2)}\n`, { mode: 0o600 })
  await rename(part, path)
}
