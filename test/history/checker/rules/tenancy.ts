import { listCreations } from '../creations.ts'
import type { Exchange, History } from '../history.ts'
import type { Rule } from '../rule.ts'

/** Statuses that reveal no charge: not found, too many requests, and an outage. */
const REVEALS_NO_CHARGE = [404, 429, 503]

/**
 * No response, delivery or frame for an organization contains the id of another organization's charge, except an error
 * that repeats the requested id. A request for another organization's charge returns 404, 429 or 503.
 */
export const TENANCY: Rule = {
  name: 'no organization sees the data of another',
  find: (history) => {
    const owners = new Map(
      listCreations(history).map(({ charge, organization }) => [charge.id, organization] as const),
    )
    const isForeign = (id: string, organization: string) => (owners.get(id) ?? organization) !== organization
    const requested = history.exchanges.flatMap((exchange) =>
      listIds(exchange.path)
        .filter((id) => isForeign(id, exchange.organization))
        .flatMap((id) => describeResponse(exchange, id)),
    )
    const shown = listTexts(history).flatMap(({ organization, where, text, known }) =>
      [...new Set(listIds(text))]
        .filter((id) => !known.includes(id) && isForeign(id, organization))
        .map((id) => `${organization} received ${id} of ${owners.get(id)} in ${where}`),
    )
    return [...requested, ...shown]
  },
}

function describeResponse({ organization, path, method, response }: Exchange, id: string): readonly string[] {
  if (response === null || REVEALS_NO_CHARGE.includes(response.status)) return []
  return [`${organization} received ${response.status} for ${method} ${path}, but ${id} is another's`]
}

function listTexts({ exchanges, frames, deliveries }: History) {
  return [
    ...exchanges.map(({ organization, method, path, response }) => ({
      ...{ organization, where: `the response to ${method} ${path}`, text: response?.text ?? '' },
      // An error message repeats the id of the request.
      known: response !== null && response.status >= 400 ? listIds(path) : [],
    })),
    ...frames.map(({ organization, path, data }) => ({
      ...{ organization, where: `the stream ${path}`, text: data, known: [] },
    })),
    ...deliveries.map(({ organization, deliveryId, body }) => ({
      ...{ organization, where: `the delivery ${deliveryId}`, text: body, known: [] },
    })),
  ]
}

function listIds(text: string): readonly string[] {
  return text.match(/\bch_[0-9a-z]+/g) ?? []
}
