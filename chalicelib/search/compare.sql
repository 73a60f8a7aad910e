-- name: sample_titles
-- Read the titles of some readable items that are in search, spread evenly over all of them.
select s.id, s.title
from (
    select i.id, i.title, row_number() over (order by i.id) as place, count(*) over () as items
    from items i
    where <readable_items> and i.chunk_count > 0
) s
where s.place * %(limit)s / s.items > (s.place - 1) * %(limit)s / s.items
order by s.id
limit %(limit)s;
