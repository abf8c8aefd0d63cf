import { privateKeyToAccount } from 'viem/accounts'
import type { Sql } from '../../shared/db/connect.ts'
import { type PayingAccount, recordPayingAccounts } from '../../shared/db/relayer/daemon/paying-accounts.ts'
import type { Address } from '../../shared/domain/address.ts'
import type { IndexerConfig } from '../../shared/runtime/indexer-config.ts'
import type { Logger } from '../../shared/runtime/logger.ts'
import { paysBySignature } from '../../shared/runtime/pay-by-signature-config.ts'
import { createLoop, type Loop } from '../../shared/runtime/poll-loop.ts'

type Config = Pick<IndexerConfig, 'deployments' | 'relayerPrivateKey' | 'authorizations'>

/**
 * Interval between records of an account. The doctor treats an account as retired if its last record is more than ten
 * minutes older than the chain's newest record.
 */
const RECORD_MS = 60_000

/**
 * Creates the loop that records the daemon's accounts, so that the doctor does not request funds for accounts that the
 * daemon no longer uses.
 */
export function createPayingAccountLoop(deps: { sql: Sql; config: Config; log: Logger }): Loop {
  const accounts = listPayingAccounts(deps.config)
  return createLoop({
    ...{ name: 'paying accounts', intervalMs: RECORD_MS, log: deps.log },
    turn: async () => {
      await recordPayingAccounts(deps.sql, accounts)
      return 'idle'
    },
  })
}

/** Lists a configuration's accounts per chain. Each purpose has one key, and thus one address, on all chains. */
export function listPayingAccounts({
  deployments,
  relayerPrivateKey,
  authorizations,
}: Config): readonly PayingAccount[] {
  return deployments.flatMap((deployment) => [
    ...listAccount(deployment, 'payouts', relayerPrivateKey),
    ...(paysBySignature(authorizations, deployment)
      ? listAccount(deployment, 'signatures', authorizations?.relayerPrivateKey ?? null)
      : []),
  ])
}

function listAccount(
  { chainId }: { readonly chainId: number },
  purpose: PayingAccount['purpose'],
  key: `0x${string}` | null,
): readonly PayingAccount[] {
  if (key === null) return []
  return [{ chainId, purpose, address: privateKeyToAccount(key).address.toLowerCase() as Address }]
}
