import type { Db } from '../../connect.ts'

export type SealedSecrets = {
  readonly id: string
  readonly secretSealed: Buffer
  readonly oldSecretSealed: Buffer | null
}

/**
 * Locks the secrets of up to `limit` webhooks after an id, in the order of ids. No secret can be rotated until the
 * transaction ends.
 */
export async function lockSealedSecrets(
  db: Db,
  { after, limit }: { after: string; limit: number },
): Promise<readonly SealedSecrets[]> {
  return await db<SealedSecrets[]>`
    select id, secret_sealed, old_secret_sealed from webhooks
    where id > ${after} and deleted_at is null
    order by id limit ${limit} for no key update`
}

/** Stores the secrets of a webhook after they were sealed again. The caller must hold the row's lock. */
export async function updateSealedSecrets(db: Db, secrets: SealedSecrets): Promise<void> {
  await db`
    update webhooks set secret_sealed = ${secrets.secretSealed}, old_secret_sealed = ${secrets.oldSecretSealed}
    where id = ${secrets.id}`
}
