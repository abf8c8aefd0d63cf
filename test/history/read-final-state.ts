import { mapAtMost } from '../support/map-at-most.ts'
import type { Organization } from './clients/organization.ts'
import type { Shop } from './clients/shop.ts'

const AT_ONCE = 4

/**
 * Reads every charge and its timeline, and all pages of each organization's list of charges. Also requests every charge
 * as the other organization.
 */
export async function readFinalState(shops: readonly Shop[]): Promise<void> {
  for (const { organization, charges } of shops) {
    await mapAtMost(AT_ONCE, charges, async ({ id }) => {
      await organization.insist(`GET /v1/charges/${id}`)
      await organization.insist(`GET /v1/charges/${id}/timeline`)
      const others = shops.filter((other) => other.organization !== organization)
      for (const other of others) await other.organization.insist(`GET /v1/charges/${id}`)
    })
    await readPages(organization)
  }
}

async function readPages({ insist }: Organization): Promise<void> {
  for (let cursor: string | null = ''; cursor !== null; ) {
    const next: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`
    const { json } = await insist(`GET /v1/charges?limit=100${next}`)
    cursor = (json as { readonly nextCursor: string | null }).nextCursor
  }
}
