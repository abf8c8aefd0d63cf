import type { Context } from 'koa'
import type { Sql } from '../../shared/db/connect.ts'
import { findLogo } from '../../shared/db/organizations/api/brands-read.ts'
import { AppError } from '../../shared/domain/errors.ts'

/**
 * Answers a logo by its hash, as the picture that its bytes are, and as nothing else: whoever opens it by itself is shown
 * the picture, and nothing in it can run.
 *
 * @throws {AppError} `not_found`
 */
export async function serveLogo(ctx: Context, hash: string, deps: { readonly sql: Sql }): Promise<void> {
  const logo = await findLogo(deps.sql, hash)
  if (logo === null) throw new AppError('not_found', 'there is no such picture')
  ctx.set({
    'Cache-Control': 'public, max-age=31536000, immutable',
    'Content-Security-Policy': "default-src 'none'; sandbox",
    'Content-Type': logo.type,
    'X-Content-Type-Options': 'nosniff',
  })
  ctx.status = 200
  ctx.body = Buffer.from(logo.bytes)
}
