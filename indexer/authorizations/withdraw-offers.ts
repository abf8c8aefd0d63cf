import { offerSignablePairs } from '../../shared/db/authorizations/daemon/signable-pairs.ts'
import type { Sql } from '../../shared/db/connect.ts'
import { paysBySignature } from '../../shared/runtime/authorization-config.ts'
import type { IndexerConfig } from '../../shared/runtime/indexer-config.ts'

/**
 * Withdraws the offers of an earlier daemon on chains that this one watches but on which it no longer pays by
 * signature.
 */
export async function withdrawOffers(
  sql: Sql,
  { deployments, authorizations }: Pick<IndexerConfig, 'deployments' | 'authorizations'>,
): Promise<void> {
  for (const deployment of deployments) {
    if (!paysBySignature(authorizations, deployment))
      await offerSignablePairs(sql, { chainId: deployment.chainId, tokens: [] })
  }
}
