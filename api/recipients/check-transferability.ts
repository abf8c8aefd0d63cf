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
 * Answers what the issuer of every acceptable pair of its family says about a recipient; of a TRON address nothing is
 * asked, and of a pair that is simulated it is not known.
 *
 * Takes a second at most, for all are asked at once.
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
    pairs: await Promise.all(pairs.map((pair) => askBoth(ask, { recipient, pair }))),
  }
}

async function askBoth(ask: AskIssuer, { recipient, pair }: { recipient: Recipient; pair: Pair }) {
  const { environment, address: account } = recipient
  const question = { environment, pair, account }
  const [receive, send] = await Promise.all([
    ask({ ...question, direction: 'receive' }),
    ask({ ...question, direction: 'send' }),
  ])
  return { token: pair.token, network: pair.network, receive, send }
}
