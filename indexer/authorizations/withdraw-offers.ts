import { offerSignablePairs } from '../../shared/db/authorizations/daemon/signable-pairs.ts'
import type { Sql } from '../../shared/db/connect.ts'
import { paysBySignature } from '../../shared/runtime/authorization-config.ts'
import type { IndexerConfig } from '../../shared/runtime/indexer-config.ts'

/** Takes back what an earlier daemon offered on the chains that this one watches and no longer pays by signature on. */
export async function withdrawOffers(
  sql: Sql,
  { deployments, authorizations }: Pick<IndexerConfig, 'deployments' | 'authorizations'>,
): Promise<void> {
  for (const deployment of deployments) {
    if (!paysBySignature(authorizations, deployment))
      await offerSignablePairs(sql, { chainId: deployment.chainId, tokens: [] })
  }
}
