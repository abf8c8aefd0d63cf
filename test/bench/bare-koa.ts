import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import Koa from 'koa'
import type { Sql } from '../../shared/db/connect.ts'
import { hashApiKey } from '../../shared/domain/api-key.ts'

/**
 * Creates the yardstick of the API benchmark: Koa without a router, validation, limits or error handling.
 *
 * `POST /charges` reads the key and inserts one row; `GET /charges/<id>` reads one row without authentication.
 */
export function createBareApp(sql: Sql): Koa {
  const app = new Koa()
  app.use(async (ctx) => {
    if (ctx.method === 'GET') {
      const [row] = await sql`select id, body, created_at from bench_charges where id = ${ctx.path.slice(9)}`
      ctx.body = row
      return
    }
    const body = JSON.parse(await readBody(ctx.req)) as { amount: number }
    const keyHash = hashApiKey(ctx.get('authorization').slice(7))
    const [key] = await sql<{ id: string }[]>`
      select id, organization_id, scopes from api_keys where key_hash = ${keyHash} and revoked_at is null`
    if (!key) return ctx.throw(401)
    const [row] = await sql`
      insert into bench_charges (id, api_key_id, amount, body)
      values (${randomUUID()}, ${key.id}, ${String(body.amount)}, ${sql.json(body)})
      returning id, body, created_at`
    ctx.status = 201
    ctx.body = row
  })
  return app
}

function readBody(request: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    request.setEncoding('utf8')
    request.on('data', (chunk: string) => {
      text += chunk
    })
    request.once('end', () => resolve(text))
    request.once('error', reject)
  })
}
