import type { Sql } from '../../shared/db/connect.ts'
import { replaceSignablePairs } from '../../shared/db/pay-by-signature/daemon/signable-pairs.ts'
import type { IndexerConfig } from '../../shared/runtime/indexer-config.ts'
import { paysBySignature } from '../../shared/runtime/pay-by-signature-config.ts'

/**
 * Deletes the signable pairs that an earlier daemon published on this daemon's chains on which payment by signature is
 * now disabled.
 */
export async function deleteStaleSignablePairs(
  sql: Sql,
  { deployments, authorizations }: Pick<IndexerConfig, 'deployments' | 'authorizations'>,
): Promise<void> {
  for (const deployment of deployments) {
    if (!paysBySignature(authorizations, deployment))
      await replaceSignablePairs(sql, { chainId: deployment.chainId, tokens: [] })
  }
}
