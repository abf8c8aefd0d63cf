import type { Organization } from '../world.ts'
import type { Client } from './client.ts'

/** A completed walk through all pages of an organization's charges. */
export type Walk = {
  readonly organizationId: string
  readonly startedMs: number
  /** Ids of the charges, in the order of the pages. */
  readonly ids: readonly string[]
}

type Page = { readonly data: readonly { readonly id: string }[]; readonly nextCursor: string | null }

type Terms = {
  readonly client: Pick<Client, 'insist'>
  readonly organization: Organization
  /** Maximum number of charges of a page. */
  readonly limit: number
  readonly nowMs: () => number
  /** Waits between two pages. */
  readonly rest: () => Promise<void>
}

/** Reads the pages of an organization's charges one after the other, until there are no more. */
export async function walkPages({ client, organization, limit, nowMs, rest }: Terms): Promise<Walk> {
  const startedMs = nowMs()
  const ids: string[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const query = cursor === '' ? '' : `&cursor=${cursor}`
    const path = `/v1/charges?limit=${limit}${query}`
    const { status, body } = await client.insist({ organization, method: 'GET', path, body: null })
    if (status !== 200) throw new Error(`a page was answered with ${status} ${body}`)
    const page = JSON.parse(body) as Page
    ids.push(...page.data.map(({ id }) => id))
    cursor = page.nextCursor
    if (cursor !== null) await rest()
  }
  return { organizationId: organization.id, startedMs, ids }
}
