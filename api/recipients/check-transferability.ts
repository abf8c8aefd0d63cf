import type { Sql } from '../../shared/db/connect.ts'
import { findRecipient, type Recipient } from '../../shared/db/organizations/api/recipients.ts'
import { CHAIN_FAMILIES, presentAddress } from '../../shared/domain/chain-families/chain-families.ts'
import { REGISTRY } from '../../shared/domain/network-registry.ts'
import type { Pair } from '../../shared/domain/networks.ts'
import type { ReadIssuerRestriction } from '../http/issuer-restrictions.ts'
import type { Request } from '../http/route.ts'
import { listPublishedPairs, type PublishedPairsConfig } from '../networks/offered-pairs.ts'
import { createRecipientNotFound, getRecipientId } from './require-recipient.ts'

type Deps = {
  readonly sql: Sql
  readonly config: PublishedPairsConfig
  readonly ask: ReadIssuerRestriction
}

/**
 * Returns whether the issuers let a recipient receive and send, for each available pair of its chain family. The list
 * is empty for a TRON address, and the result for a simulated pair is `unknown`.
 *
 * Queries all issuers in parallel, because each query can take up to a second.
 *
 * @throws {AppError} `recipient_not_found`
 * @see specification, "Transferability semantics"
 */
export async function checkTransferability(
  { sql, config, ask }: Deps,
  { key, params }: Request<unknown, unknown>,
) {
  const id = getRecipientId(params)
  const recipient = await findRecipient(sql, { tenant: key, id })
  if (recipient === null) throw createRecipientNotFound(params)
  const { address, family } = recipient
  const { tellsTransferability } = CHAIN_FAMILIES[family]
  const offered = tellsTransferability
    ? await listPublishedPairs({ sql, ...config }, recipient.environment)
    : []
  const pairs = offered.filter(({ network }) => REGISTRY[network].family === family)
  return {
    recipientId: id,
    address: presentAddress(address, family),
    pairs: await Promise.all(pairs.map((pair) => queryPair(ask, { recipient, pair }))),
  }
}

async function queryPair(
  ask: ReadIssuerRestriction,
  { recipient, pair }: { recipient: Recipient; pair: Pair },
) {
  const { environment, address: account } = recipient
  const query = { environment, pair, account }
  const [receive, send] = await Promise.all([
    ask({ ...query, direction: 'receive' }),
    ask({ ...query, direction: 'send' }),
  ])
  return { token: pair.token, network: pair.network, receive, send }
}
