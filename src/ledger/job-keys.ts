/** The jobs of deliveries that an earlier version of the program has written. */
import { sql, type Kysely } from 'kysely';

export async function fillJobKeys(db: Kysely<unknown>): Promise<void> {
  await sql`
    update deliveries set job_key = (
      select callbacks.job_id from callbacks where callbacks.id = deliveries.callback_id and callbacks.kind = 'callback'
    )
    where state <> 'delivered'`.execute(db);
}

/** While replicas are restarted one by one, those of the earlier version still insert deliveries without a job. */
export async function fillJobKeysInserted(db: Kysely<unknown>): Promise<void> {
  await sql`
    create function deliveries_fill_job_key() returns trigger language plpgsql as $$
    begin
      if new.job_key is null then
        select callbacks.job_id into new.job_key from callbacks
        where callbacks.id = new.callback_id and callbacks.kind = 'callback';
      end if;
      return new;
    end $$`.execute(db);
  await sql`
    create trigger deliveries_fill_job_key before insert on deliveries
    for each row execute function deliveries_fill_job_key()`.execute(db);
}
