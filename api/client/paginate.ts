type Page<Item> = { readonly data: readonly Item[]; readonly nextCursor: string | null }

/**
 * Yields every item of a list. Requests a page only after the previous page's items are consumed.
 *
 * @param read - `(cursor) => requireData(api.GET('/v1/charges', { params: { query: { cursor } } }))`
 */
export async function* paginate<Item>(
  read: (cursor: string | undefined) => Promise<Page<Item>>,
): AsyncGenerator<Item> {
  let cursor: string | undefined
  do {
    const page: Page<Item> = await read(cursor)
    yield* page.data
    cursor = page.nextCursor ?? undefined
  } while (cursor !== undefined)
}
