import type { Sql } from '../../shared/db/connect.ts'
import { inTransaction } from '../../shared/db/transaction.ts'
import {
  lockSealedSecrets,
  type SealedSecrets,
  updateSealedSecrets,
} from '../../shared/db/webhooks/daemon/webhook-secrets.ts'
import { createSealKeys, createUnseal, derivePublicKey, seal } from '../../shared/domain/sealed-box.ts'
import { readResealConfig } from '../../shared/runtime/command-config.ts'
import { CommandError } from '../../shared/runtime/command-line.ts'
import { runCommand, selectCommand, withConnection } from './command.ts'

const USAGE = `Creates and changes the keys that encrypt webhook secrets.

  npm run webhooks -- create-seal-keys   prints a new key pair
  npm run webhooks -- reseal             encrypts every secret with the first key of WEBHOOK_SEAL_PRIVATE_KEY

To change the pair: restart the daemon with WEBHOOK_SEAL_PRIVATE_KEY=new,old and the API with the new public key. Run reseal with
the same two private keys. Then restart the daemon with only the new key. All deliveries are sent during the change, and merchants
keep their secrets. OPERATOR_DATABASE_URL names the database.
`

/** Webhooks per transaction. */
const BATCH = 100

await runCommand({ usage: USAGE, run: selectCommand({ 'create-seal-keys': createKeys, reseal }) })

async function createKeys(): Promise<readonly string[]> {
  const { publicKey, privateKey } = createSealKeys()
  return [
    `WEBHOOK_SEAL_PUBLIC_KEY=${publicKey.toString('base64')}`,
    `WEBHOOK_SEAL_PRIVATE_KEY=${privateKey.toString('base64')}`,
    'Use the first key for the API and the second only for the daemon. Neither is stored.',
  ]
}

async function reseal(): Promise<readonly string[]> {
  const { databaseUrl, sealPrivateKeys } = readResealConfig()
  const [newest] = sealPrivateKeys
  if (newest === undefined) throw new CommandError('WEBHOOK_SEAL_PRIVATE_KEY is not set')
  const publicKey = derivePublicKey(newest)
  const unseal = createUnseal(sealPrivateKeys)
  const anew = (sealed: Buffer) => {
    const text = unseal(sealed)
    if (text === null) throw new Error('no private key decrypts the secret')
    return seal(publicKey, text)
  }
  const count = await withConnection(databaseUrl, (sql) => resealAll(sql, anew))
  return [`The secrets of ${count} webhooks are encrypted with ${publicKey.toString('base64')}.`]
}

/** A run after an interruption reseals some secrets again, which is harmless. */
async function resealAll(sql: Sql, anew: (sealed: Buffer) => Buffer): Promise<number> {
  let count = 0
  let after = ''
  for (;;) {
    const done = await inTransaction(sql, async (db) => {
      const batch = await lockSealedSecrets(db, { after, limit: BATCH })
      for (const webhook of batch) await updateSealedSecrets(db, resealed(webhook, anew))
      return batch
    })
    count += done.length
    const last = done.at(-1)
    if (last === undefined) return count
    after = last.id
  }
}

function resealed(webhook: SealedSecrets, anew: (sealed: Buffer) => Buffer): SealedSecrets {
  const { id, secretSealed, oldSecretSealed } = webhook
  try {
    return {
      id,
      secretSealed: anew(secretSealed),
      oldSecretSealed: oldSecretSealed === null ? null : anew(oldSecretSealed),
    }
  } catch (error) {
    throw new CommandError(
      `a secret of ${id} cannot be decrypted: add its private key to WEBHOOK_SEAL_PRIVATE_KEY`,
      {
        cause: error,
      },
    )
  }
}
