import { spawn } from 'node:child_process'
import { expect } from 'chai'
import { createSealKeys, createUnseal, derivePublicKey, seal } from '../../../shared/domain/sealed-box.ts'
import { compiled } from '../../devnet/compiled.ts'
import { createTestDatabase, type TestDatabase } from '../../support/postgres.ts'
import { insertOrganizationRow, insertWebhook } from '../../support/rows.ts'

describe('npm run webhooks', function () {
  // The timeout allows for one process per run, and the first run bundles the program.
  this.timeout(240_000)
  const old = createSealKeys()
  const fresh = createSealKeys()
  let database: TestDatabase

  before(async () => {
    database = await createTestDatabase()
    await insertOrganizationRow(database.sql, 'org_one')
    for (let n = 0; n < 120; n += 1) {
      const secrets = {
        secret_sealed: seal(old.publicKey, `new ${n}`),
        old_secret_sealed: seal(old.publicKey, `old ${n}`),
      }
      await insertWebhook(database.sql, { id: `wh_${String(n).padStart(3, '0')}`, events: ['*'], ...secrets })
    }
    await insertWebhook(database.sql, {
      id: 'wh_never_rotated',
      events: ['*'],
      secret_sealed: seal(fresh.publicKey, 'new'),
    })
  })

  after(() => database.drop())

  it('creates a matching key pair', async () => {
    const { code, output } = await run(['create-seal-keys'])
    const keyOf = (name: string) =>
      Buffer.from(new RegExp(`^WEBHOOK_SEAL_${name}_KEY=(.{44})$`, 'm').exec(output)?.[1] ?? '', 'base64')
    expect(code).to.equal(0)
    expect(derivePublicKey(keyOf('PRIVATE')).equals(keyOf('PUBLIC'))).to.equal(true)
  })

  it('changes nothing while a secret cannot be decrypted, and names its webhook', async () => {
    const { code, error } = await run(['reseal'], [createSealKeys().privateKey])
    expect({ code, names: error.includes('wh_000') }).to.deep.equal({ code: 1, names: true })
    expect(
      (await secrets()).filter((secret) => createUnseal([old.privateKey])(secret) !== null),
    ).to.have.length(240)
  })

  it('seals every secret, unchanged, with the first key, and can be repeated', async () => {
    for (let repetition = 0; repetition < 2; repetition += 1) {
      const { code, output } = await run(['reseal'], [fresh.privateKey, old.privateKey])
      expect({ code, output }).to.deep.equal({
        code: 0,
        output: `The secrets of 121 webhooks are encrypted with ${fresh.publicKey.toString('base64')}.\n`,
      })
      const texts = (await secrets()).map(createUnseal([fresh.privateKey]))
      const expected = Array.from({ length: 120 }, (_, n) => [`new ${n}`, `old ${n}`])
      expect(texts).to.have.members([...expected.flat(), 'new'])
    }
  })

  it('does not show the private key', async () => {
    const { output, error } = await run(['reseal'], [fresh.privateKey])
    expect(output + error).not.to.contain(fresh.privateKey.toString('base64'))
  })

  async function secrets(): Promise<Buffer[]> {
    const rows = await database.sql<{ secretSealed: Buffer; oldSecretSealed: Buffer | null }[]>`
      select secret_sealed, old_secret_sealed from webhooks`
    return rows.flatMap(({ secretSealed, oldSecretSealed }) => [
      secretSealed,
      ...(oldSecretSealed ? [oldSecretSealed] : []),
    ])
  }

  async function run(
    args: string[],
    keys: readonly Buffer[] = [],
  ): Promise<{ code: number | null; output: string; error: string }> {
    const child = spawn(process.execPath, [await compiled('indexer/commands/webhooks.ts'), ...args], {
      env: {
        PATH: process.env['PATH'],
        OPERATOR_DATABASE_URL: database.url.operator,
        WEBHOOK_SEAL_PRIVATE_KEY: keys.map((key) => key.toString('base64')).join(','),
      },
    })
    let output = ''
    let error = ''
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString()
    })
    child.stderr.on('data', (chunk: Buffer) => {
      error += chunk.toString()
    })
    return new Promise((done) => child.once('close', (code) => done({ code, output, error })))
  }
})
