type Page<Item> = { readonly data: readonly Item[]; readonly nextCursor: string | null }

/**
 * Yields every entry of a list, page after page, each read when the one before has been used up.
 *
 * @param read - reads the page that a cursor leads to: `(cursor) => answerOf(api.GET('/v1/charges', { params: { query: { cursor } } }))`
 */
export async function* eachOf<Item>(
  read: (cursor: string | undefined) => Promise<Page<Item>>,
): AsyncGenerator<Item> {
  let cursor: string | undefined
  do {
    const page: Page<Item> = await read(cursor)
    yield* page.data
    cursor = page.nextCursor ?? undefined
  } while (cursor !== undefined)
}
