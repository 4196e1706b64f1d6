"""A company's database as they are: ten departments, 200 tables, 5,000 columns, names that were shortened by
different people, comments in either language or in none.
"""

from itertools import cycle, islice

from text2sql.types import Catalog, Column, ForeignKey, Table

# name | comment | columns that matter (`column=comment`) | tables it refers to
_TABLES = """
crm_cust_mst|客户主数据|cust_id cust_nm cust_lvl=客户等级 reg_id ind_cd=行业代码|mdm_region
crm_contact|Contacts of a customer|contact_id full_nm mobile_no email job_ttl|crm_cust_mst
crm_lead|销售线索|lead_id src_cd=线索来源 est_amt score|hr_emp
crm_oppty|Sales opportunities|oppty_id stage_cd expected_amt win_prob close_dt|crm_cust_mst hr_emp
crm_campaign|营销活动|camp_id camp_nm budget_amt start_dt end_dt|
crm_camp_resp|Responses to campaigns|resp_id resp_dt resp_type|crm_campaign crm_cust_mst
crm_complaint|客户投诉|cmpl_id cmpl_type sev_lvl=严重程度 opened_dt closed_dt|crm_cust_mst hr_emp
crm_visit|Visits of sales people to customers|visit_id visit_dt purpose|crm_cust_mst hr_emp
crm_survey|满意度调查|survey_id survey_nm sent_dt|
crm_survey_ans|Answers to a survey|ans_id question_no score|crm_survey crm_cust_mst
crm_loyalty_acct|会员积分账户|loy_id pts_bal=积分余额 tier|crm_cust_mst
crm_loyalty_txn|Loyalty point movements|txn_id pts_delta txn_dt|crm_loyalty_acct
crm_cust_addr||addr_id street city_nm zip_cd|crm_cust_mst
crm_cust_tag|客户标签|tag_id tag_nm|crm_cust_mst
crm_quote|Quotations|quote_id quote_amt valid_until|crm_oppty
crm_quote_ln||line_no qty unit_prc|crm_quote mdm_prod
crm_partner|渠道合作伙伴|partner_id partner_nm partner_type|mdm_region
crm_partner_fee|Commission paid to partners|fee_id comm_amt paid_dt|crm_partner
crm_email_log||mail_id sent_ts opened_flg clicked_flg|crm_contact
crm_call_log|客服通话记录|call_id call_ts dur_sec agent_id|crm_cust_mst
sd_so_hdr|销售订单|so_no ord_dt ord_sts=订单状态 tot_amt=订单总额|crm_cust_mst mdm_store mdm_channel
sd_so_item|销售订单明细|so_ln_no ord_qty net_amt disc_amt|sd_so_hdr mdm_prod
sd_delivery|Deliveries to customers|dlv_no ship_dt arr_dt dlv_sts|sd_so_hdr log_carrier
sd_delivery_item||dlv_ln_no dlv_qty|sd_delivery mdm_prod
sd_return_hdr|退货单|rtn_no rtn_dt rtn_rsn=退货原因|sd_so_hdr
sd_return_item|Returned goods|rtn_ln_no rtn_qty refund_amt|sd_return_hdr mdm_prod
sd_invoice|开票|inv_no inv_dt inv_amt tax_amt|sd_so_hdr
sd_invoice_item||inv_ln_no ln_amt|sd_invoice mdm_prod
sd_price_list|Price lists|pl_id eff_dt exp_dt curr_cd|
sd_price||list_prc min_qty|sd_price_list mdm_prod
sd_promo|促销活动|promo_id promo_nm disc_pct|
sd_promo_prod||promo_prod_id|sd_promo mdm_prod
sd_coupon|优惠券|cpn_id face_amt used_flg|crm_cust_mst sd_promo
sd_target|Sales targets by store and month|tgt_id tgt_mth tgt_amt|mdm_store
sd_forecast|销售预测|fc_id fc_mth fc_qty|mdm_prod
sd_basket|Shopping carts|cart_id created_ts abandoned_flg|crm_cust_mst
sd_gift_card||gc_no bal_amt issued_dt|crm_cust_mst
sd_commission|销售提成|comm_id comm_mth comm_amt|hr_emp
sd_subscription|Subscriptions|sub_id plan_nm mth_fee cancelled_dt|crm_cust_mst
sd_credit_limit|客户信用额度|cl_id limit_amt used_amt|crm_cust_mst
mdm_prod|产品主数据|prod_id prod_nm brand_cd cat_id std_cost list_prc|mdm_prod_cat
mdm_prod_cat|产品类别|cat_id cat_nm parent_cat_id|
mdm_store|门店|store_id store_nm open_dt flr_area=营业面积|mdm_city
mdm_city|Cities|city_id city_nm pop_cnt|mdm_region
mdm_region|地区|reg_id reg_nm|mdm_country
mdm_country|Countries|ctry_cd ctry_nm|
mdm_channel|销售渠道|chan_cd chan_nm|
mdm_currency|Currencies|curr_cd curr_nm|
mdm_fx_rate|汇率|fx_dt fx_rate|mdm_currency
mdm_uom|Units of measure|uom_cd uom_nm|
mdm_calendar|日历|cal_dt fiscal_yr fiscal_mth is_holiday=是否节假日|
mdm_vendor|供应商主数据|vend_id vend_nm vend_rating|mdm_country
mdm_brand|Brands|brand_cd brand_nm|
mdm_plant|工厂|plant_id plant_nm|mdm_city
mdm_wh|仓库|wh_id wh_nm cap_m3|mdm_city
mdm_bank|Banks|bank_cd bank_nm swift_cd|mdm_country
mdm_industry|行业|ind_cd ind_nm|
mdm_lang|Languages|lang_cd lang_nm|
mdm_payterm|Terms of payment|term_cd days_cnt|
mdm_holiday|节假日|hol_dt hol_nm|mdm_country
hr_emp|员工档案|emp_id emp_nm hire_dt gender birth_dt|hr_dept hr_position
hr_dept|部门|dept_id dept_nm mgr_emp_id|
hr_position|Positions|pos_id pos_ttl grade_cd|
hr_salary|薪资|sal_id base_sal eff_dt|hr_emp
hr_payroll|Monthly payroll runs|pay_id pay_mth gross_amt net_amt|hr_emp
hr_attend|考勤记录|att_id att_dt in_ts out_ts late_min|hr_emp
hr_leave_req|请假申请|leave_id leave_type from_dt to_dt days|hr_emp
hr_overtime||ot_id ot_dt ot_hrs|hr_emp
hr_perf_review|Performance reviews|rev_id rev_yr rating|hr_emp
hr_training|培训课程|trn_id trn_nm trn_hrs|
hr_train_attend||trn_att_id passed_flg|hr_training hr_emp
hr_candidate|应聘者|cand_id cand_nm applied_dt|hr_vacancy
hr_vacancy|Open positions|vac_id open_dt closed_dt|hr_position hr_dept
hr_interview|面试|int_id int_dt int_result|hr_candidate hr_emp
hr_exit|离职记录|exit_id exit_dt exit_rsn|hr_emp
hr_skill|Skills|skill_id skill_nm|
hr_emp_skill||lvl|hr_emp hr_skill
hr_benefit|员工福利|ben_id ben_nm ben_amt|hr_emp
hr_contract|劳动合同|ctr_id ctr_type sign_dt expire_dt|hr_emp
hr_dependent|Relatives of employees|dep_id dep_nm relation|hr_emp
fin_gl_acct|会计科目|acct_no acct_nm acct_type|
fin_journal_hdr|凭证|jrn_no post_dt|hr_emp
fin_journal_ln||jrn_ln_no dr_amt cr_amt|fin_journal_hdr fin_gl_acct fin_cost_ctr
fin_cost_ctr|成本中心|cc_cd cc_nm|hr_dept
fin_budget|Budgets|bud_id bud_yr bud_amt|fin_cost_ctr fin_gl_acct
fin_ar|应收账款|ar_id due_dt open_amt|sd_invoice crm_cust_mst
fin_ap|应付账款|ap_id due_dt open_amt|proc_inv mdm_vendor
fin_receipt|收款|rcpt_no rcpt_dt rcpt_amt pay_mthd=付款方式|crm_cust_mst
fin_payment_out|Payments to vendors|pmt_no pmt_dt pmt_amt|mdm_vendor
fin_bank_acct|银行账户|ba_id iban bal_amt|mdm_bank
fin_bank_txn|Bank statement lines|bt_id val_dt amt|fin_bank_acct
fin_fixed_asset|固定资产|fa_id fa_nm acq_dt acq_cost|fin_cost_ctr
fin_deprec|Depreciation|dep_id dep_mth dep_amt|fin_fixed_asset
fin_tax_rate|税率|tax_cd tax_pct|mdm_country
fin_expense|员工报销|exp_id exp_dt exp_amt exp_type|hr_emp
fin_loan|Loans taken|loan_id principal int_rate maturity_dt|mdm_bank
fin_dunning|催款|dun_id dun_lvl dun_dt|fin_ar
fin_period|Accounting periods|per_id closed_flg|
fin_intercomp||ic_id ic_amt|
fin_cash_fcst|现金流预测|cf_id cf_dt cf_amt|
proc_po_hdr|采购订单|po_no po_dt po_sts|mdm_vendor hr_emp
proc_po_item|采购订单明细|po_ln_no po_qty po_prc|proc_po_hdr mdm_material
proc_req|Purchase requisitions|req_no req_dt|hr_emp
proc_gr|收货|gr_no gr_dt gr_qty|proc_po_hdr mdm_wh
proc_inv|供应商发票|vinv_no vinv_dt vinv_amt|proc_po_hdr
proc_contract|Framework contracts with vendors|pc_no valid_to|mdm_vendor
proc_tender|招标|tnd_no tnd_dt|
proc_bid|Bids|bid_no bid_amt|proc_tender mdm_vendor
proc_vend_eval|供应商评估|ve_id ve_yr ve_score|mdm_vendor
proc_vend_contact||vc_nm vc_tel|mdm_vendor
mdm_material|物料主数据|mat_no mat_desc mat_grp|
proc_price_hist|Purchase price history|ph_dt ph_prc|mdm_material mdm_vendor
proc_lead_time||lt_days|mdm_material mdm_vendor
proc_return|退供应商|pr_no pr_qty|proc_gr
proc_approval|Approvals of orders|apr_id apr_dt apr_sts|proc_po_hdr hr_emp
proc_catalog|采购目录|ct_id|mdm_material
proc_savings|Savings|sv_amt|proc_contract
proc_blacklist|黑名单|bl_rsn|mdm_vendor
proc_customs|报关|cus_no duty_amt|proc_gr
proc_quota||q_pct|mdm_vendor
inv_stock|库存|stk_qty safety_qty|mdm_prod mdm_wh
inv_move|Stock movements|mv_id mv_dt mv_type mv_qty|mdm_prod mdm_wh
inv_count|盘点|cnt_id cnt_dt diff_qty|mdm_wh
inv_batch|批次|batch_no exp_dt|mdm_prod
inv_serial|Serial numbers|sn|mdm_prod
inv_location|库位|loc_cd|mdm_wh
inv_transfer|Transfers between warehouses|tr_no tr_dt|mdm_wh
inv_reserve||rs_qty|inv_stock sd_so_hdr
inv_scrap|报废|sc_qty sc_rsn|mdm_prod
inv_adjust|Adjustments|adj_qty adj_rsn|inv_stock
inv_aging|库龄|age_days|inv_stock
inv_label||lb_txt|mdm_prod
inv_replenish|Replenishment proposals|rp_qty|inv_stock
inv_pallet|托盘|pal_no|inv_location
inv_temp_log|冷库温度记录|temp_c log_ts|mdm_wh
inv_owner||ow_nm|
inv_abc|ABC classes|abc_cls|mdm_prod
inv_min_max||min_q max_q|mdm_prod
inv_kit|Kits|kit_id|mdm_prod
inv_hold|冻结库存|hd_rsn|inv_stock
mfg_wo|生产工单|wo_no wo_qty wo_start wo_end|mdm_prod mdm_plant
mfg_bom|物料清单|bom_id|mdm_prod
mfg_bom_item||comp_qty|mfg_bom mdm_material
mfg_routing|Routings|rt_id|mdm_prod
mfg_operation|工序|op_no std_min|mfg_routing mfg_machine
mfg_machine|机器设备|mach_id mach_nm|mdm_plant
mfg_downtime|Downtime of machines|dt_min dt_rsn|mfg_machine
mfg_output|产量|out_qty out_dt|mfg_wo
mfg_scrap||scr_qty|mfg_wo
mfg_shift|班次|sh_cd sh_start|mdm_plant
mfg_crew|Crews|crew_nm|hr_emp mfg_shift
mfg_energy|能耗|kwh rd_dt|mdm_plant
mfg_maint_plan|设备保养计划|mp_dt|mfg_machine
mfg_maint_log|Maintenance done|ml_dt ml_cost|mfg_machine
mfg_spare|备件|sp_nm sp_qty|mfg_machine
mfg_qc_lot|质检批|lot_no lot_res|mfg_wo
mfg_qc_defect|Defects found|df_type df_qty|mfg_qc_lot
mfg_tool||tl_nm|mfg_machine
mfg_plan|主生产计划|pl_wk pl_qty|mdm_prod
mfg_cost|Production cost|mc_amt|mfg_wo
log_carrier|承运商|car_id car_nm|
log_shipment|Shipments|shp_no dep_ts arr_ts wgt_kg frt_amt=运费|log_carrier mdm_wh
log_ship_stop||stop_no|log_shipment mdm_city
log_vehicle|车辆|veh_no veh_type|log_carrier
log_driver|司机|drv_nm lic_no|log_carrier
log_trip|Trips|trip_id km fuel_l|log_vehicle log_driver
log_fuel|加油记录|fl_dt fl_amt|log_vehicle
log_accident|交通事故|ac_dt ac_desc|log_vehicle log_driver
log_route|Routes|rt_nm dist_km|
log_rate|运价|rt_amt|log_carrier
log_track|Tracking events|tk_ts tk_sts|log_shipment
log_claim|货损索赔|clm_amt|log_shipment
log_container||cn_no|log_shipment
log_port|Ports|port_nm|mdm_country
log_customs|海关|dc_no|log_shipment
log_dock|Docks|dock_no|mdm_wh
log_insurance|货运保险|ins_amt|log_shipment
log_toll||toll_amt|log_trip
log_parking|停车|pk_amt|log_trip
log_slot|Delivery slots|sl_ts|log_dock
it_app|应用系统|app_nm|
it_user|System users|login_nm last_login_ts|hr_emp
it_role|角色|role_nm|
it_user_role||ur_id|it_user it_role
it_ticket|IT工单|tk_no tk_prio tk_open tk_close|it_user it_app
it_server|Servers|srv_nm cpu_cnt|
it_incident|故障|inc_sev inc_start|it_server it_app
it_change|Changes|chg_dt|it_app
it_license|软件许可|lic_cnt lic_cost|it_app
it_asset|Laptops and phones|as_tag as_type|hr_emp
it_backup|备份|bk_ts bk_gb|it_server
it_login_log||lg_ts lg_ip|it_user
it_api_log||req_ts resp_ms|it_app
it_web_visit|网站访问|pv uv visit_dt|
it_web_click|Clicks on pages|clk_ts page_url|it_web_visit
it_project|项目|prj_nm prj_budget|hr_emp
it_timesheet|Hours worked on projects|ts_dt ts_hrs|it_project hr_emp
it_sla||sla_hrs|it_app
it_vendor_inv||vi_amt|it_license
it_alert|告警|al_ts al_lvl|it_server
"""
_FILLING = (
    "created_at created_by updated_at updated_by del_flg ver_no src_sys batch_id remark ext_attr1 ext_attr2 "
    "ext_attr3 sts_cd org_cd seq_no valid_from valid_to lock_flg etl_dt hash_key ref_no ref_type memo_txt "
    "sort_no lang"
).split()
_WIDTH = 25

QUESTIONS = (
    ("Which customers placed the most orders last year?", "crm_cust_mst sd_so_hdr"),
    ("What is the average salary per department?", "hr_salary hr_emp hr_dept"),
    ("每个门店的销售订单总额是多少？", "mdm_store sd_so_hdr"),
    ("哪个供应商的采购订单最多？", "mdm_vendor proc_po_hdr"),
    ("退货原因的分布", "sd_return_hdr"),
    ("List the invoices that are overdue, with the customer", "sd_invoice crm_cust_mst fin_ar"),
    ("How many employees were hired in 2024?", "hr_emp"),
    ("各产品类别的销售数量", "mdm_prod_cat mdm_prod sd_so_item"),
    ("Which machines had the longest downtime?", "mfg_machine mfg_downtime"),
    ("每个仓库的库存数量", "mdm_wh inv_stock"),
    ("哪些员工上个月迟到最多？考勤", "hr_attend hr_emp"),
    ("Total freight by carrier", "log_shipment log_carrier"),
    ("Which campaign got the most responses?", "crm_campaign crm_camp_resp"),
    ("客户投诉最多的产品线是哪个客户？", "crm_complaint crm_cust_mst"),
    ("average performance rating by position", "hr_perf_review hr_emp hr_position"),
    ("固定资产的折旧金额", "fin_fixed_asset fin_deprec"),
    ("Which cities have more than three stores?", "mdm_city mdm_store"),
    ("各地区的客户数量", "mdm_region crm_cust_mst"),
    ("How much did we spend on fuel per vehicle?", "log_fuel log_vehicle"),
    ("哪个司机的交通事故最多", "log_driver log_accident"),
    ("Show budget by cost center", "fin_budget fin_cost_ctr"),
    ("请假天数最多的部门", "hr_leave_req hr_emp hr_dept"),
    ("purchase price of materials by vendor", "mdm_material mdm_vendor proc_price_hist"),
    ("银行账户余额", "fin_bank_acct"),
    ("Which open positions have the most candidates?", "hr_vacancy hr_candidate"),
    ("质检发现的缺陷数量", "mfg_qc_defect mfg_qc_lot"),
    ("优惠券使用情况 按促销活动", "sd_coupon sd_promo"),
    ("How many IT tickets are open per application?", "it_ticket it_app"),
    ("每个项目的工时", "it_project it_timesheet"),
    ("Which training courses were attended by most staff?", "hr_training hr_train_attend hr_emp"),
    ("运费最高的承运商", "log_shipment log_carrier"),
    ("Which warehouse has the highest temperature?", "inv_temp_log mdm_wh"),
    ("loyalty points balance of each client", "crm_loyalty_acct crm_cust_mst"),
    ("各销售渠道的订单占比", "mdm_channel sd_so_hdr"),
    ("energy consumption of each plant", "mfg_energy mdm_plant"),
    ("离职员工的部门分布", "hr_exit hr_emp hr_dept"),
)


def enterprise() -> Catalog:
    tables = tuple(_table(line) for line in _TABLES.strip().splitlines())
    return Catalog("postgres", "public", tables, "enterprise")


def _table(line: str) -> Table:
    name, comment, column_texts, referred = line.split("|")
    columns_and_comments = [column.partition("=") for column in column_texts.split()]
    columns = [Column(column, "VARCHAR(40)", comment=note) for column, _, note in columns_and_comments]
    keys = [f"{target.split('_', 1)[1]}_ref" for target in referred.split()]
    columns += [Column(key, "BIGINT") for key in keys]
    rest = islice(cycle(_FILLING), len(name), len(name) + _WIDTH - len(columns))
    columns += [Column(column, "VARCHAR(40)") for column in rest]
    return Table(
        name,
        tuple(columns),
        "public",
        comment=comment,
        primary_key=(columns[0].name,),
        foreign_keys=tuple(
            ForeignKey((key,), target, ("id",), "public")
            for key, target in zip(keys, referred.split(), strict=True)
        ),
    )
