import type { Context } from 'koa'
import type { Sql } from '../../shared/db/connect.ts'
import { findLogo } from '../../shared/db/organizations/api/brands-read.ts'
import { AppError } from '../../shared/domain/errors.ts'

/**
 * Responds with a logo by its hash. The headers prevent code in the file from running, even if the logo is opened
 * directly.
 *
 * @throws {AppError} `not_found`
 */
export async function serveLogo(ctx: Context, hash: string, deps: { readonly sql: Sql }): Promise<void> {
  const logo = await findLogo(deps.sql, hash)
  if (logo === null) throw new AppError('not_found', 'no logo has this hash')
  ctx.set({
    'Cache-Control': 'public, max-age=31536000, immutable',
    'Content-Security-Policy': "default-src 'none'; sandbox",
    'Content-Type': logo.type,
    'X-Content-Type-Options': 'nosniff',
  })
  ctx.status = 200
  ctx.body = Buffer.from(logo.bytes)
}
