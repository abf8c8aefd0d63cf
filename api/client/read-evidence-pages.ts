import { type ApiClient, requireData } from './client.ts'
import type { Schema } from './schema.ts'

/**
 * Reads all pages of a charge's evidence and merges them into one page. `verifyEvidence` accepts the page as JSON.
 *
 * @param options.txHash - keeps only this transaction, so that strangers' payments do not enlarge the result
 */
export async function readEvidencePages(
  api: ApiClient,
  id: string,
  { txHash }: { readonly txHash?: string | undefined } = {},
): Promise<Schema<'ChargeEvidence'>> {
  const isWanted = (one: { readonly txHash: string }) => txHash === undefined || one.txHash === txHash
  let page = await readPage(api, { id })
  const data = page.data.filter(isWanted)
  while (page.nextCursor !== null) {
    page = await readPage(api, { id, cursor: page.nextCursor })
    data.push(...page.data.filter(isWanted))
  }
  return { ...page, data }
}

type PageOf = { readonly id: string; readonly cursor?: string }

function readPage(api: ApiClient, { id, cursor }: PageOf): Promise<Schema<'ChargeEvidence'>> {
  const query = cursor === undefined ? {} : { cursor }
  return requireData(api.GET('/v1/charges/{id}/evidence', { params: { path: { id }, query } }))
}
