type Page<Item> = { readonly data: readonly Item[]; readonly nextCursor: string | null }

/**
 * Yields every entry of a list. Reads each page after the entries of the previous page are consumed.
 *
 * @param read - reads the page of a cursor: `(cursor) => requireData(api.GET('/v1/charges', { params: { query: { cursor
 *   } } }))`
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
