-- name: list_ages
-- Read how old candidates are, in days, and by when they were to be reviewed.
select i.id, extract(epoch from now() - i.updated_at)::float8 / 86400 as age,
       i.metadata ->> 'review_by' as review_by, (now() at time zone 'UTC')::date as today
from items i
where i.id = any(%(item_ids)s) and <readable_items>;

-- name: read_neighbours
-- Read the chunks of readable items around some places.
select c.item_id, c.ordinal, i.indexed_revision as revision, c.body_start, c.body_end, c.text
from unnest(%(item_ids)s::uuid[], %(ordinals)s::integer[]) as place (item_id, ordinal)
join chunks c on c.workspace_id = %(workspace_id)s and c.item_id = place.item_id
  and c.ordinal between place.ordinal - %(reach)s and place.ordinal + %(reach)s
join items i on i.id = c.item_id
where <readable_items>
order by c.item_id, c.ordinal;
