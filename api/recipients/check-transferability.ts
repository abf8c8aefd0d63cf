import type { Sql } from '../../shared/db/connect.ts'
import { findRecipient, type Recipient } from '../../shared/db/organizations/api/recipients.ts'
import { FAMILIES, presentAddress } from '../../shared/domain/families/families.ts'
import { REGISTRY } from '../../shared/domain/network-registry.ts'
import type { Pair } from '../../shared/domain/networks.ts'
import type { AskIssuer } from '../issuers.ts'
import { listOfferedPairs, type OfferConfig } from '../networks/offered.ts'
import type { Request } from '../route.ts'
import { recipientIdOf, refuseRecipient } from './recipient-id.ts'

type Deps = {
  readonly sql: Sql
  readonly config: OfferConfig
  readonly ask: AskIssuer
}

/**
 * Returns the transferability of a recipient for every acceptable pair of its family. TRON issuers are not queried, and
 * the result of a simulated pair is `unknown`.
 *
 * Takes at most a second, because all issuers are queried in parallel.
 *
 * @throws {AppError} `recipient_not_found`
 * @see specification, "Transferability semantics"
 */
export async function checkTransferability(
  { sql, config, ask }: Deps,
  { key, params }: Request<unknown, unknown>,
) {
  const id = recipientIdOf(params)
  const recipient = await findRecipient(sql, { tenant: key, id })
  if (recipient === null) throw refuseRecipient(params)
  const { address, family } = recipient
  const { tellsTransferability } = FAMILIES[family]
  const offered = tellsTransferability
    ? await listOfferedPairs({ sql, ...config }, recipient.environment)
    : []
  const pairs = offered.filter(({ network }) => REGISTRY[network].family === family)
  return {
    recipientId: id,
    address: presentAddress(address, family),
    pairs: await Promise.all(pairs.map((pair) => queryPair(ask, { recipient, pair }))),
  }
}

async function queryPair(ask: AskIssuer, { recipient, pair }: { recipient: Recipient; pair: Pair }) {
  const { environment, address: account } = recipient
  const query = { environment, pair, account }
  const [receive, send] = await Promise.all([
    ask({ ...query, direction: 'receive' }),
    ask({ ...query, direction: 'send' }),
  ])
  return { token: pair.token, network: pair.network, receive, send }
}
