import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import type { ACCOUNTS } from './accounts.ts'
import type { DevnetNetworks } from './networks.ts'
import type { DevnetKeys } from './organization.ts'
import type { TronAccounts } from './tron/accounts.ts'

/** The content of `devnet.json`, which describes a running devnet to other programs. */
export type DevnetDescription = {
  readonly apiUrl: string
  readonly internalUrls: { readonly api: string; readonly indexer: string }
  readonly databaseUrl: string
  readonly keys: DevnetKeys
  readonly networks: DevnetNetworks
  /** Includes the TRON accounts if the devnet has a TRON. */
  readonly accounts: typeof ACCOUNTS & Partial<TronAccounts>
  /** Only with `--everything`. */
  readonly swap?: { readonly providerUrl: string }
}

/** Writes `devnet.json` atomically, so that no program reads an incomplete file. Only the file's owner can read it. */
export async function writeDescription(directory: string, description: DevnetDescription): Promise<void> {
  const path = join(directory, 'devnet.json')
  const part = `${path}.part`
  await writeFile(part, `${JSON.stringify(description, null, 2)}\n`, { mode: 0o600 })
  await rename(part, path)
}
